/**
 * Limits this process to CPU that others do not use; it must have a session of its own (`detached`). Also passed as text to processes that
 * load no module of ours, so it must not use anything outside of its body.
 * @param sessionNice 10: a tenth of the weight of another session, 19: a seventieth
 */
/* istanbul ignore next: an instrumented body would refer to counters that do not exist over there */
export function setLowestPriority(sessionNice = 10): void {
  const os = process.getBuiltinModule('node:os');
  os.setPriority(os.constants.priority.PRIORITY_LOW);
  try {
    // Linux shares the CPU among sessions first: sched(7), autogroup
    process.getBuiltinModule('node:fs').writeFileSync('/proc/self/autogroup', String(sessionNice));
  } catch {
    // on another operating system the priority above counts
  }
}
