/** `off`: not configured, and not required; `warn`: works, with a drawback; `fail`: must be fixed */
export type State = 'ok' | 'off' | 'warn' | 'fail';

export type Finding = {
  /** the subject in one or two words */
  name: string;
  state: State;
  /** the result; for `warn` and `fail` what to do */
  text: string;
};

/** Runs a check. An error is a failure with its message, so that the other checks still run. */
export async function find(name: string, check: () => Promise<Omit<Finding, 'name'>>): Promise<Finding> {
  try {
    return { name, ...(await check()) };
  } catch (error) {
    return { name, state: 'fail', text: (error as Error).message };
  }
}
