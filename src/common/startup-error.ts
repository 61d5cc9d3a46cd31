/** Something a person must put right before the process can start; main prints the message alone, no stack, and exits 1. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
