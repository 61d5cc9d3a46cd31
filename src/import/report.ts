/** The count of each reason, with its first source ids. */
export type Reasons = Record<string, { count: number; examples: string[] }>;

export type StageReport = {
  /** source rows, including skipped ones */
  read: number;
  /** written here */
  taken: number;
  /** unchanged since the last import, so not written */
  unchanged: number;
  /** source rows without a row here, by reason */
  skipped: Reasons;
  /** rows with changed values, by reason */
  changed: Reasons;
};

export type Report = Record<string, StageReport>;

export const MAX_EXAMPLES = 20;

export function emptyReport(): StageReport {
  return { read: 0, taken: 0, unchanged: 0, skipped: {}, changed: {} };
}

export function note(reasons: Reasons, reason: string, example: string, count = 1): void {
  const noted = (reasons[reason] ??= { count: 0, examples: [] });
  noted.count += count;
  if (noted.examples.length < MAX_EXAMPLES) noted.examples.push(example);
}

export function addReport(sum: StageReport, batch: StageReport): void {
  sum.read += batch.read;
  sum.taken += batch.taken;
  sum.unchanged += batch.unchanged;
  for (const kind of ['skipped', 'changed'] as const) {
    for (const [reason, { count, examples }] of Object.entries(batch[kind])) {
      const noted = (sum[kind][reason] ??= { count: 0, examples: [] });
      noted.count += count;
      noted.examples.push(...examples.slice(0, MAX_EXAMPLES - noted.examples.length));
    }
  }
}

/** Returns the lines to print: one per stage and one per reason. */
export function linesOf(report: Report): string[] {
  return Object.entries(report).flatMap(([stage, { read, taken, unchanged, skipped, changed }]) => {
    const reasons = (kind: string, all: Reasons): string[] =>
      Object.entries(all).map(([reason, { count, examples }]) => `  ${kind} ${count}: ${reason} (${examples[0]}, …)`);
    const same = unchanged > 0 ? `, ${unchanged} unchanged` : '';
    return [
      `${stage}: ${read} read, ${taken} imported${same}`,
      ...reasons('skipped', skipped),
      ...reasons('changed', changed),
    ];
  });
}
