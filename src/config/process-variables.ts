/** Set by the first process for its children, never by an operator: the socket of the host's writer. */
const WRITER_SOCKET = 'OPENCANVAS_WRITER_SOCKET';

export function withWriterSocket(environment: Record<string, string>, path: string): Record<string, string> {
  return { ...environment, [WRITER_SOCKET]: path };
}

export function writerSocketOf(environment: NodeJS.ProcessEnv): string | undefined {
  return environment[WRITER_SOCKET];
}
