import { randomBytes } from 'node:crypto';

/** Set by the first process for its children, never by an operator: identifies this start of the host among all hosts. */
const HOST_ID = 'OPENCANVAS_HOST_ID';
const BYTES = 12;

export function hostIdVariable(id: string): Record<string, string> {
  return { [HOST_ID]: id };
}

export function hostIdOf(environment: NodeJS.ProcessEnv): string {
  return environment[HOST_ID] ?? randomBytes(BYTES).toString('hex');
}
