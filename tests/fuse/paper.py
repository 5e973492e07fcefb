"""Programs of "Fusion of Array Operations at Runtime" in text form."""

from __future__ import annotations

# Fig. 3b. Instructions are numbered from 0 here, from 1 in the paper.
FIG3 = """
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
"""

# Fig. 2 as a program. The paper draws six loops and three arrays of size 1 and gives the sums, not
# the accesses; these are accesses with the same sums. Loops 1 and 2 (instructions 0 and 1) share
# two arrays, loops 3 to 6 write the third, which loop 2 reads. What keeps loop 1 from loops 3 to 6
# is that it looks at bytes which they overwrite, of an array that it brings into existence: such
# a read costs nothing.
FIG2 = """
base B float64 1 input
base C float64 1 input
base A uint8 12
clip B B C A:float64@[4+(1:8)]
add B A:float64@[0+(1:8)] C
copy A:float64@[0+(1:8)] 3.0
copy A:float64@[0+(1:8)] 4.0
copy A:float64@[0+(1:8)] 5.0
copy A:float64@[0+(1:8)] 6.0
"""

# Fig. 21a, every line one instruction or two; N = 8. F and G can be contracted only when the loop
# that computes them is the one that computes H, and that one reads E ahead.
FIG21 = """
base A float64 9 input
base B float64 8
base C float64 8
base D float64 8
base E float64 10 input
base F float64 8
base G float64 8
base H float64 8
base P float64 8
base Q float64 8
copy A[1+(8:1)] E[0+(8:1)]
multiply B A[1+(8:1)] 2.0
add C B 99.0
add D A[8+(8:-1)] A[1+(8:1)]
multiply P C D
add E[1+(8:1)] B P
multiply F E[1+(8:1)] 4.0
multiply G E[1+(8:1)] 8.0
multiply Q G E[2+(8:1)]
add H F Q
del B
del C
del D
del P
del F
del G
del Q
"""
