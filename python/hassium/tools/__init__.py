"""Tools for users: settings, the cache, explanations, the runner of programs."""
