// The queue: where deaths are placed, what a cut leaves behind, what a failed job gives back.

#include "program/deaths.hpp"
#include "record/queue.hpp"
#include "support/check.hpp"

using namespace hassium;

namespace {

View vector_view(std::int64_t n) {
    Dims shape{n};
    return fresh_view(DType::F64, shape);
}

char shared_memory[64];  // of bases that only must have some

void record(Queue& queue, Op op, const View& out, const View& a, const View& b) {
    Request r{op};
    r.compute = DType::F64;
    r.nin = 2;
    r.out[0] = &out;
    r.in[0].view = &a;
    r.in[1].view = &b;
    queue.append(r, {});
}

void finish(Queue& queue, Job& job) {
    for (Base* base : job.bases) queue.let_go(base);
}

std::size_t dels(const Program& recorded) {
    std::vector<std::uint32_t> from;
    Program p = with_deaths(recorded, from);
    p.verify();
    std::size_t count = 0;
    for (const Instruction& i : p.instructions) count += p.is_del(i);
    return count;
}

// A temporary that dies is deleted right behind its last reader.
void dels_stand_behind_the_last_use() {
    Queue queue;
    View x = vector_view(4), out = vector_view(4);
    {
        View t = vector_view(4);
        record(queue, Op::Add, t, x, x);
        record(queue, Op::Multiply, out, t, x);
        record(queue, Op::Add, out, out, x);
    }
    Job job = queue.take(queue.size());
    CHECK(job.program.instructions.size() == 3);
    std::vector<std::uint32_t> from;
    Program finished = with_deaths(job.program, from);
    CHECK(finished.instructions.size() == 4);
    CHECK(finished.is_del(finished.instructions[2]));
    CHECK(from[2] == kNoInstruction && from[3] == 2);
    Program again = finished;
    renumber(again, job.program);
    CHECK(again.same_structure(finished));
    CHECK(queue.empty());
    finish(queue, job);
}

// The named temporary of the last iteration dies after the cut; the prefix knows that.
void a_cut_takes_later_deaths_along() {
    Queue queue;
    View x = vector_view(4);
    View t = vector_view(4);
    for (int k = 0; k < 10; ++k) {
        View next = vector_view(4);
        record(queue, Op::Add, next, x, x);
        t = next;
        record(queue, Op::Add, x, x, t);
    }
    Job job = queue.take(8);
    CHECK(dels(job.program) == 4);
    CHECK(queue.size() == 12);
    CHECK(queue.holds(*x.base) && x.base->in_flight);
    finish(queue, job);
    CHECK(x.base->owner == &queue);
    Job rest = queue.take(queue.size());
    CHECK(dels(rest.program) == 5);
    finish(queue, rest);
    CHECK(x.base->idle());
}

// Prefixes of a loop are equal programs, whatever temporaries they were recorded with.
void cuts_of_a_loop_are_equal_programs() {
    Queue queue;
    View x = vector_view(8), y = vector_view(8);
    x.base->data = y.base->data = shared_memory;
    set_memory_release([](char*, std::int64_t) {});
    record(queue, Op::Subtract, y, x, x);
    Program last;
    std::uint64_t last_hash = 0;
    int equal = 0, cuts = 0;
    View t;
    for (int k = 0; k < 400; ++k) {
        View a = vector_view(8);
        record(queue, Op::Multiply, a, x, y);
        t = a;
        record(queue, Op::Add, x, x, t);
        record(queue, Op::Subtract, y, y, t);
        while (queue.size() >= 120) {
            Job job = queue.take(queue.automatic_cut(120));
            bool same = job.program.same_structure(last);
            CHECK(!same || job.hash == last_hash);
            equal += same;
            ++cuts;
            last = job.program;
            last_hash = job.hash;
            finish(queue, job);
        }
    }
    CHECK(cuts >= 10);
    CHECK(equal >= cuts - 2);
    Job job = queue.take(queue.size());
    finish(queue, job);
}

// A loop with a short period is flushed long before the queue is full; a stream without one is not.
void short_loops_do_not_fill_the_queue() {
    Queue queue;
    View x = vector_view(8), y = vector_view(8);
    x.base->data = y.base->data = shared_memory;
    set_memory_release([](char*, std::int64_t) {});
    std::size_t most = 0;
    int cuts = 0;
    for (int k = 0; k < 1000; ++k) {
        for (Op op : {Op::Multiply, Op::Add, Op::Subtract}) {
            record(queue, op, x, x, y);
            most = std::max(most, queue.size());
            while (std::size_t cut = queue.due(4096)) {
                CHECK(cut == 96);
                Job job = queue.take(cut);
                ++cuts;
                finish(queue, job);
            }
        }
    }
    CHECK(cuts == 31 && most <= 128);
    Job job = queue.take(queue.size());
    finish(queue, job);
    check::Random random{7};
    cuts = 0;
    for (int k = 0; k < 5000; ++k) {
        record(queue, random.below(2) ? Op::Add : Op::Multiply, x, x, y);
        std::size_t cut = queue.due(4096);
        if (cut == 0) continue;
        CHECK(k + 1 >= 4096);
        job = queue.take(cut);
        ++cuts;
        finish(queue, job);
    }
    CHECK(cuts == 1);
    job = queue.take(queue.size());
    finish(queue, job);
}

// Where jobs go aside the first one has few instructions, with what comes before the loop; the next
// ones twice as many, until they are as many as handing them over is worth.
void jobs_that_go_aside_begin_small() {
    Queue queue;
    View x = vector_view(8), y = vector_view(8);
    x.base->data = y.base->data = shared_memory;
    set_memory_release([](char*, std::int64_t) {});
    std::vector<std::size_t> cuts, sizes;
    queue.scheduler.begin_small(30, 4096);
    record(queue, Op::Maximum, y, x, x);
    for (int k = 0; k < 300; ++k) {
        for (Op op : {Op::Multiply, Op::Add, Op::Subtract}) {
            record(queue, op, x, x, y);
            const std::size_t cut = queue.due(4096);
            if (cut == 0) continue;
            sizes.push_back(queue.size());
            cuts.push_back(cut);
            Job job = queue.take(cut);
            finish(queue, job);
            queue.scheduler.flushed(true, 0, false);
        }
    }
    CHECK(sizes == (std::vector<std::size_t>{32, 64, 128, 256, 256, 256}));
    CHECK(cuts == (std::vector<std::size_t>{28, 48, 96, 192, 192, 192}));
    queue.scheduler.waited();
    Job job = queue.take(queue.size());
    finish(queue, job);
    CHECK(queue.due(1) == 0);  // of nothing there is no job, however small the limit
    CHECK(!queue.scheduler.small() && queue.scheduler.may_be_small());
    for (int k = 0; k < 42; ++k) {
        for (Op op : {Op::Multiply, Op::Add, Op::Subtract}) record(queue, op, x, x, y);
        CHECK(queue.due(4096) == 0);
    }
    job = queue.take(queue.size());
    finish(queue, job);
}

// What nobody reads and nobody can notice is not run.
void unread_moves_are_dropped() {
    Queue queue;
    View x = vector_view(4), out = vector_view(4);
    {
        View t = vector_view(4);
        Request r{Op::Copy};
        r.nin = 1;
        r.out[0] = &t;
        r.in[0].view = &x;
        queue.append(r, {});
    }
    record(queue, Op::Add, out, x, x);
    Job job = queue.take(queue.size());
    CHECK(job.program.instructions.size() == 1);
    CHECK(job.bases.size() == 2);
    finish(queue, job);
}

// A queue that expects a program tells when just that was recorded, and hashes like one that does
// not.
void what_is_expected_is_known() {
    View x = vector_view(4), out = vector_view(4), kept;
    x.base->data = out.base->data = shared_memory;
    set_memory_release([](char*, std::int64_t) {});
    auto begin = [&](Queue& queue) {
        View t = vector_view(4);
        record(queue, Op::Add, t, x, x);
        return t;
    };
    auto end = [&](Queue& queue, const View& t) {
        View to = out;
        record(queue, Op::Multiply, to, t, x);
    };
    auto shifted = [&](Queue& queue, const View& t) {
        View from = x, to = out;
        from.offset = 8;
        from.shape = to.shape = Dims{3};
        View part = t;
        part.shape = Dims{3};
        record(queue, Op::Multiply, to, part, from);
    };
    auto program = std::make_shared<Program>();
    auto known = [&](std::uint64_t hash) {
        return KnownProgram{program,           program->instructions, program->operands,
                            program->geometry, program->bases,        hash};
    };
    // Records with and without an expectation; is it met, and is the hash the same?
    auto met = [&](auto&& make, std::uint64_t expected) {
        std::uint64_t hashes[2];
        bool found = false;
        for (bool expecting : {false, true}) {
            Queue queue;
            if (expecting) queue.expect(known(expected));
            make(queue);
            Job job = queue.take(queue.size());
            hashes[expecting] = job.hash;
            found = job.known == program && program;
            finish(queue, job);
            kept = View();
        }
        CHECK(hashes[0] == hashes[1]);
        return found;
    };
    auto whole = [&](Queue& queue) { end(queue, begin(queue)); };
    std::uint64_t hash = 0;
    {
        Queue queue;
        whole(queue);
        Job job = queue.take(queue.size());
        *program = job.program;
        hash = job.hash;
        finish(queue, job);
    }
    CHECK(met(whole, hash));
    // Expected only when some of it is pending.
    CHECK(met(
        [&](Queue& q) {
            View t = begin(q);
            q.expect(known(hash));
            end(q, t);
        },
        hash));
    CHECK(!met([&](Queue& q) { begin(q); }, hash));
    CHECK(!met([&](Queue& q) { whole(q), whole(q); }, hash));
    CHECK(!met([&](Queue& q) { shifted(q, begin(q)); }, hash));
    // The temporary lives on.
    CHECK(!met(
        [&](Queue& q) {
            kept = begin(q);
            end(q, kept);
        },
        hash));
    // Part of what is pending.
    Queue queue;
    queue.expect(known(hash));
    whole(queue);
    Job job = queue.take(1);
    CHECK(!job.known);
    finish(queue, job);
    job = queue.take(1);
    CHECK(!job.known);
    finish(queue, job);
}

// After a failure the unfinished instructions stand in front of what was recorded since.
void a_failed_job_returns_its_rest() {
    Queue queue;
    View x = vector_view(4), y = vector_view(4);
    record(queue, Op::Add, y, x, x);
    record(queue, Op::Multiply, x, y, y);
    Job job = queue.take(queue.size());
    record(queue, Op::Subtract, y, x, y);
    queue.restore(std::move(job), {true, false}, {});
    CHECK(queue.size() == 2);
    Job again = queue.take(2);
    CHECK(again.program.instructions[0].op == Op::Multiply);
    CHECK(again.program.instructions[1].op == Op::Subtract);
    finish(queue, again);
}

std::vector<Op> pending_ops(const Job& job) {
    std::vector<Op> ops;
    for (const Instruction& i : job.program.instructions) ops.push_back(i.op);
    return ops;
}

// What there was no memory for comes after the others, with all that depends on it and all that
// would change what it reads, unless it is wanted.
void what_lacks_memory_is_put_off() {
    Queue queue;
    View x = vector_view(4), large = vector_view(8), y = vector_view(4), z = vector_view(4);
    record(queue, Op::Add, large, x, x);
    CHECK(queue.defer_failed(1, nullptr) == 1);
    Job job = queue.take(1);
    queue.restore(std::move(job), {false}, {true});
    CHECK(queue.found_lacking() == 1);
    CHECK(!queue.idle() && queue.defer_failed(1, nullptr) == 0 && queue.idle());
    record(queue, Op::Multiply, y, large, y);  // reads it
    record(queue, Op::Maximum, z, x, x);
    record(queue, Op::Subtract, x, z, z);  // changes what it reads
    record(queue, Op::Minimum, z, z, z);
    CHECK(!queue.idle());
    CHECK(queue.defer_failed(2, nullptr) == 0);
    CHECK(queue.defer_failed(queue.size(), x.base.get()) == 5);
    CHECK(queue.defer_failed(queue.size(), y.base.get()) == 5);
    CHECK(queue.defer_failed(queue.size(), nullptr) == 1);
    job = queue.take(1);
    CHECK(pending_ops(job) == std::vector{Op::Maximum});
    finish(queue, job);
    CHECK(queue.defer_failed(queue.size(), nullptr) == 0);
    CHECK(queue.idle());
    // Nobody can read what is made of it any more.
    {
        View row = vector_view(4), also = vector_view(4);
        record(queue, Op::Divide, row, large, z);
        record(queue, Op::Maximum, also, also, also);
        CHECK(queue.defer_failed(queue.size(), nullptr) == 1);
    }
    CHECK(queue.defer_failed(1, nullptr) == 0);
    job = queue.take(queue.size());
    CHECK(pending_ops(job) == (std::vector{Op::Add, Op::Multiply, Op::Subtract, Op::Minimum}));
    finish(queue, job);
}

// A backoff that began with plans that were bound takes in more elements when that spares no plans.
void a_backoff_grows_until_it_saves_plans() {
    Queue queue;
    View x = vector_view(5000), y = vector_view(5000);
    for (int k = 0; k < 20; ++k) record(queue, Op::Add, y, x, x);
    Job job = queue.take(queue.size());
    const double instructions = static_cast<double>(job.program.instructions.size());
    const Price bound = {0.5e-6 * instructions, 0}, nothing = {0, 0};
    RecordingBackoff backoff;
    auto flushed = [&](const Price& price, std::uint64_t settings = 1) {
        backoff.flushed(price, job.program, settings);
    };
    int flushes = 0;
    for (; !backoff.active() && flushes < 1000; ++flushes) flushed(bound);
    CHECK(flushes == 400);  // of 20 instructions, until 4 ms are owed
    CHECK(!backoff.plans_anew());
    for (const Price& price : {bound, bound, bound, nothing}) flushed(price);
    CHECK(backoff.active() && !backoff.plans_anew());
    for (const Price& price : {bound, bound, bound}) flushed(price);
    CHECK(backoff.active() && !backoff.plans_anew());
    flushed(bound);
    CHECK(backoff.active() && backoff.plans_anew());
    flushed(bound, 2);
    CHECK(!backoff.active());
    finish(queue, job);
}

}  // namespace

int main() {
    dels_stand_behind_the_last_use();
    a_cut_takes_later_deaths_along();
    cuts_of_a_loop_are_equal_programs();
    short_loops_do_not_fill_the_queue();
    jobs_that_go_aside_begin_small();
    unread_moves_are_dropped();
    what_is_expected_is_known();
    a_failed_job_returns_its_rest();
    what_lacks_memory_is_put_off();
    a_backoff_grows_until_it_saves_plans();
    return 0;
}
