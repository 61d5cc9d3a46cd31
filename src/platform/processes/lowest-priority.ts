/**
 * Limits this process, which must have its own session (`detached`), to idle CPU. Also passed as text to processes without our modules, so
 * it must not use anything outside of its body.
 * @param sessionNice 10: a tenth of the weight of another session, 19: a seventieth
 */
/* istanbul ignore next: an instrumented body would refer to counters that do not exist over there */
export function setLowestPriority(sessionNice = 10): void {
  const os = process.getBuiltinModule('node:os');
  os.setPriority(os.constants.priority.PRIORITY_LOW);
  try {
    // Linux first divides the CPU among sessions: sched(7), autogroup.
    process.getBuiltinModule('node:fs').writeFileSync('/proc/self/autogroup', String(sessionNice));
  } catch {
    // Other operating systems use only the priority above.
  }
}
