#include "engine/text_program.hpp"

#include <cstring>

#include "exec/executor.hpp"
#include "exec/memory_pool.hpp"
#include "fuse/fuse.hpp"
#include "plan/lower.hpp"
#include "program/fill.hpp"

namespace hassium {
namespace {

// Memory of a text program's bases; gives back what is left.
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

Program checked(const std::string& text) {
    Program program = Program::parse(text);
    program.verify();
    return program;
}

}  // namespace

Partition partition_text(const std::string& text, std::string_view partitioner,
                         std::string_view cost_model) {
    Program program = checked(text);
    Partition result = partition(program, {partitioner, cost_model});
    result.verify(program);
    return result;
}

TextDump dump_text(const std::string& text, std::string_view partitioner,
                   std::string_view cost_model) {
    Program program = checked(text);
    Partition blocks = partition(program, {partitioner, cost_model});
    TextDump out{program.dump(), blocks.dump(program), ""};
    for (const Block& block : blocks.blocks) {
        LoopPlan plan = lower(program, block);
        plan.verify();
        out.plan += plan.dump();
    }
    return out;
}

std::vector<BaseContents> run_text(const std::string& text, std::string_view partitioner,
                                   std::string_view cost_model, std::string_view executor) {
    Program program = checked(text);
    Memory memory(program);
    RunState state;
    if (executor == "reference") {
        for (std::size_t i = 0; i < program.instructions.size(); ++i) {
            run_reference(program, i, memory.bases, state);
        }
    } else {
        for (const Block& block : partition(program, {partitioner, cost_model}).blocks) {
            LoopPlan plan = lower(program, block);
            plan.verify();
            run_block(program, plan, *compile(plan), memory.bases, state);
        }
    }
    std::vector<BaseContents> out;
    for (std::size_t b = 0; b < program.bases.size(); ++b) {
        const Binding& base = memory.bases[b];
        if (!base.data) continue;
        out.push_back(
            {program.names[b], program.bases[b].dtype, {base.data, base.data + base.bytes}});
    }
    return out;
}

}  // namespace hassium
