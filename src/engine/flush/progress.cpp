#include "engine/flush/progress.hpp"

#include <algorithm>
#include <utility>

#include "base/settings.hpp"
#include "engine/flush/run.hpp"

namespace hassium {

Progress*& Progress::observed() {
    thread_local Progress* innermost = nullptr;
    return innermost;
}

Progress::Progress(const Host& host, std::int64_t began)
    : host_(host), before_(std::exchange(observed(), this)), began_(began), next_(began + kFirst) {}

bool Progress::end() { return shown_ && host_.progress(seconds(), 1); }

double Progress::seconds() const { return static_cast<double>(StageClock::now() - began_) * 1e-9; }

bool Progress::interrupted() {
    Progress& self = *observed();
    return self.report() || self.host_.interrupted();
}

void Progress::note_done(double share) {
    if (Progress* self = observed()) self->done_ = share;
}

bool Progress::report() {
    const std::int64_t now = StageClock::now();
    if (now < next_ || settings().choice(Setting::progress) == "off") return false;
    next_ = now + kEvery;
    shown_ = true;
    return host_.progress(seconds(), std::min(done_, 0.999));  // 1 is the end
}

}  // namespace hassium
