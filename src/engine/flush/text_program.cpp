#include "engine/flush/text_program.hpp"

#include <chrono>
#include <cstring>

#include "base/error.hpp"
#include "base/settings.hpp"
#include "exec/executor.hpp"
#include "plan/lower/lower.hpp"
#include "program/fill.hpp"
#include "reference/reference.hpp"
#include "runtime/memory_pool.hpp"

namespace hassium {
namespace {

// Memory of a text program's bases; releases what is left.
struct Memory {
    std::vector<Binding> bases;

    explicit Memory(const Program& program) {
        for (std::size_t b = 0; b < program.bases.size(); ++b) {
            const BaseInfo& base = program.bases[b];
            bases.push_back({nullptr, base.bytes});
            if (!base.input) continue;
            bases[b].data = memory_pool().acquire(base.bytes);
            fill_input(program.names[b], base.dtype, bases[b].data, base.bytes);
        }
    }
    ~Memory() {
        for (Binding& b : bases) {
            if (b.data) memory_pool().release(b.data, b.bytes);
        }
    }
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Program checked(const std::string& text) {
    Program program = Program::parse(text);
    program.verify();
    return program;
}

Partition partition_by(const Program& program, const PartitionSource& source, FuseOptions options) {
    if (const auto* name = std::get_if<std::string>(&source)) {
        options.partitioner = *name;
        return partition(program, options);
    }
    Partition given;
    for (const auto& members : std::get<1>(source)) given.blocks.push_back({members});
    try {
        given.cost = cost_of(program, given, options);
    } catch (const InternalError& error) {
        throw UserError(ErrorKind::Value, std::string("[partition] ") + error.what());
    }
    return given;
}

}  // namespace

TextPartition partition_text(const std::string& text, const PartitionSource& source,
                             FuseOptions options, bool described) {
    Program program = checked(text);
    auto start = std::chrono::steady_clock::now();
    Partition result = partition_by(program, source, options);
    double taken = seconds_since(start);
    result.verify(program, options.legality);
    TextPartition out{std::move(result), taken, std::nullopt};
    if (described) out.description = describe(program, out.partition, options.legality);
    return out;
}

Instance instance_text(const std::string& text, const FuseOptions& options) {
    return instance_of(checked(text), options);
}

TextDump dump_text(const std::string& text, const PartitionSource& source,
                   std::string_view cost_model) {
    Program program = checked(text);
    Partition blocks = partition_by(program, source, {"", cost_model});
    TextDump out{program.dump(), blocks.dump(program), ""};
    for (const Block& block : blocks.blocks) {
        LoopPlan plan = lower(program, block);
        plan.verify();
        out.plan += plan.dump();
    }
    return out;
}

TextRun run_text(const std::string& text, const PartitionSource& source,
                 std::string_view cost_model, std::string_view executor) {
    Program program = checked(text);
    Memory memory(program);
    RunState state;
    TextRun out = {{}, 0};
    if (executor == "reference") {
        for (std::size_t i = 0; i < program.instructions.size(); ++i) {
            run_reference(program, i, memory.bases, state);
        }
    } else {
        FuseOptions options{"", cost_model};
        options.time_limit =
            static_cast<double>(settings().get(Setting::search_milliseconds)) * 1e-3;
        for (const Block& block : partition_by(program, source, options).blocks) {
            LoopPlan plan = lower(program, block);
            plan.verify();
            auto code = compile(plan);
            auto start = std::chrono::steady_clock::now();
            run_block(program, plan, *code, memory.bases, state);
            release_dead(plan, memory.bases);
            out.seconds += seconds_since(start);
        }
    }
    for (std::size_t b = 0; b < program.bases.size(); ++b) {
        const Binding& base = memory.bases[b];
        if (!base.data) continue;
        out.bases.push_back(
            {program.names[b], program.bases[b].dtype, {base.data, base.data + base.bytes}});
    }
    return out;
}

}  // namespace hassium
