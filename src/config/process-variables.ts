import { randomBytes } from 'node:crypto';

/** Set by the first process for its children, never by an operator: the socket of the host's writer. */
const WRITER_SOCKET = 'OPENCANVAS_WRITER_SOCKET';

export function withWriterSocket(environment: Record<string, string>, path: string): Record<string, string> {
  return { ...environment, [WRITER_SOCKET]: path };
}

export function writerSocketOf(environment: NodeJS.ProcessEnv): string | undefined {
  return environment[WRITER_SOCKET];
}

/** Set by the first process for its children, never by an operator: identifies this start of the host among all hosts. */
const HOST_ID = 'OPENCANVAS_HOST_ID';
const BYTES = 12;

export function hostIdVariable(id: string): Record<string, string> {
  return { [HOST_ID]: id };
}

export function hostIdOf(environment: NodeJS.ProcessEnv): string {
  return environment[HOST_ID] ?? randomBytes(BYTES).toString('hex');
}
