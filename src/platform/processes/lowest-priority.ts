/**
 * Gives this process the CPU that others leave over; it must have a session of its own (`detached`). Also passed as text to processes
 * that load no module of ours, so it uses nothing from outside its body.
 */
/* istanbul ignore next: an instrumented body would refer to counters that do not exist over there */
export function takeLowestPriority(): void {
  const os = process.getBuiltinModule('node:os');
  os.setPriority(os.constants.priority.PRIORITY_LOW);
  try {
    // Linux shares the CPU among sessions first: this one gets a tenth of the usual weight
    process.getBuiltinModule('node:fs').writeFileSync('/proc/self/autogroup', '10');
  } catch {
    // another kernel: the priority above counts
  }
}
