// Nothing to call: what this target does, it does when the process begins.
