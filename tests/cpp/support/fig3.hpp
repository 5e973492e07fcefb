// Fig. 3 of "Fusion of Array Operations at Runtime", in elements of 8 bytes.
#pragma once

inline constexpr const char* kFig3 = R"(
base A float64 4
base B float64 4
base D float64 5
base E float64 5
base T float64 4
copy A 0.0
copy B 0.0
copy D 0.0
copy E 0.0
add A A D[0+(4:1)]
copy A D[0+(4:1)]
add B B E[0+(4:1)]
copy B E[0+(4:1)]
multiply T A B
maximum D[1+(4:1)] T E[1+(4:1)]
minimum E[1+(4:1)] T D[1+(4:1)]
del A
del B
del E
del T
sync D
del D
)";
