"""What the kernel is asked to forbid a process, one means a module. Linux only: nothing is loaded or asked on import."""
