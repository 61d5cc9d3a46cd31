/** Ends the process with exit code 1 when `start` fails: a StartupError as its sentence alone, anything else with its stack. */
export async function orExplain(start: () => Promise<void>): Promise<void> {
  try {
    await start();
  } catch (error) {
    console.error(error instanceof Error && error.name === 'StartupError' ? error.message : error);
    process.exit(1);
  }
}
