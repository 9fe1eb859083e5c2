"""What the kernel forbids a process, one mechanism per module. Linux only: nothing is loaded or asked on import."""
