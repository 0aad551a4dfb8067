// Nothing to call: this target acts when the process begins.
