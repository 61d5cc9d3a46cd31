import type { Db, Document } from 'mongodb';

export interface PlanSummary {
  /** for example `IXSCAN { authorId: 1, _id: -1 }` or `COLLSCAN`, prefixed by `SORT` for a blocking sort */
  plan: string;
  keysExamined: number;
  docsExamined: number;
  nReturned: number;
}

interface ExplainedStage {
  stage: string;
  keyPattern?: Document;
  inputStage?: ExplainedStage;
  inputStages?: ExplainedStage[];
  /** the stages of a plan of the slot-based engine */
  queryPlan?: ExplainedStage;
}

interface ExplainResult {
  stages?: (Document & { $cursor?: ExplainResult })[];
  queryPlanner?: { winningPlan: ExplainedStage };
  executionStats?: { totalKeysExamined: number; totalDocsExamined: number; nReturned: number };
}

/** The fields that explain accepts. Sessions, transactions and read concerns are omitted. */
const EXPLAINED_FIELDS: Record<string, readonly string[]> = {
  find: ['find', 'filter', 'sort', 'projection', 'hint', 'skip', 'limit', 'collation', 'let'],
  aggregate: ['aggregate', 'pipeline', 'cursor', 'hint', 'collation', 'let'],
  count: ['count', 'query', 'limit', 'skip', 'hint'],
  distinct: ['distinct', 'key', 'query', 'collation'],
};
const EXPLAIN_TIMEOUT_MS = 10_000;

export function canExplain(commandName: string): boolean {
  return commandName in EXPLAINED_FIELDS;
}

/** Explains a read by running it again. Returns null for commands other than plain reads. */
export async function explainCommand(db: Db, commandName: string, command: Document): Promise<PlanSummary | null> {
  const fields = EXPLAINED_FIELDS[commandName];
  const pipeline = (command.pipeline ?? []) as Document[];
  if (!fields || pipeline.some((stage) => '$out' in stage || '$merge' in stage || '$changeStream' in stage))
    return null;
  const explained = Object.fromEntries(
    fields.filter((field) => command[field] !== undefined).map((field): [string, unknown] => [field, command[field]]),
  );
  return summarizeExplain(
    await db.command({ explain: explained, verbosity: 'executionStats', maxTimeMS: EXPLAIN_TIMEOUT_MS }),
  );
}

/** Summarizes the explain output of find (flat) and aggregate (`stages[0].$cursor`). */
function summarizeExplain(reply: Document): PlanSummary {
  const { stages = [], ...flat } = reply as ExplainResult;
  const { queryPlanner, executionStats } = stages[0]?.$cursor ?? flat;
  const blockingStages = stages.flatMap((stage) => ('$sort' in stage ? ['SORT'] : []));
  const winningPlan = queryPlanner?.winningPlan;
  return {
    plan: [...blockingStages, ...describeStages(winningPlan?.queryPlan ?? winningPlan)].join(' ') || '?',
    keysExamined: executionStats?.totalKeysExamined ?? 0,
    docsExamined: executionStats?.totalDocsExamined ?? 0,
    nReturned: executionStats?.nReturned ?? 0,
  };
}

function describeStages(stage: ExplainedStage | undefined): string[] {
  if (!stage) return [];
  const inner = [stage.inputStage, ...(stage.inputStages ?? [])].flatMap(describeStages);
  if (stage.stage === 'SORT') return ['SORT', ...inner];
  if (inner.length > 0) return inner;
  return [stage.keyPattern ? `${stage.stage} ${JSON.stringify(stage.keyPattern)}` : stage.stage];
}
