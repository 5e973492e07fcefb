// What a forked child can do where the tests run.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <thread>

// Whether the child of a process with threads can start a thread of its own; says so if not.
// qemu-user 7.2 aborts such a child, with whatever program it runs.
inline bool children_start_threads() {
    std::atomic<bool> forked{false};
    std::thread other([&] {
        while (!forked) std::this_thread::yield();
    });
    const pid_t child = ::fork();
    if (child == 0) {
        std::thread([] {}).join();
        ::_exit(0);
    }
    forked = true;
    other.join();
    int status = 0;
    ::waitpid(child, &status, 0);
    const bool started = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!started) std::puts("skipped: a forked child cannot start threads here");
    return started;
}
