import { Injectable } from '@nestjs/common';
import type { Collection } from 'mongodb';
import { AuditService } from '../audit/audit.service.js';
import { COLLECTIONS } from '../collections/collection-rules.js';
import { COMMENTS } from '../comments/comment.schema.js';
import { StartupError } from '../common/errors.js';
import { FOLLOWS } from '../follows/follow.schema.js';
import { INTERACTIONS } from '../interactions/interaction.schema.js';
import { ALL_CHANGED } from '../platform/events/event.schema.js';
import { EventPublisher } from '../platform/events/event-publisher.js';
import { Hosts } from '../platform/hosts/hosts.js';
import { OPENCANVAS_IMPORT } from '../platform/mongo/indexes/index-check.js';
import { ensureIndexes } from '../platform/mongo/indexes/indexes.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import { POSTS } from '../posts/post-counters.js';
import { EngagementJob } from '../ranking/engagement.job.js';
import { PostRendererService } from '../rendering/post-renderer.service.js';
import { USERS } from '../users/user.schema.js';
import { COLLECTIONS_STAGE } from './collections.stage.js';
import { COMMENTS_STAGE } from './comments.stage.js';
import { type ImportRow, ImportRowSchema, type ImportState, ImportStateSchema } from './import.schema.js';
import { FOLLOWS_STAGE, INTERACTIONS_STAGE } from './interactions.stage.js';
import { TargetLookup } from './target-lookup.js';
import { reportLostSaves } from './lost-saves.js';
import { FEATURED_STAGE, postsStage } from './posts.stage.js';
import type { Report } from './report.js';
import { Source } from './source.js';
import type { Stage } from './stage.js';
import { StageRun } from './stage-run.js';
import { USERS_STAGE } from './users.stage.js';

export type ImportProgress = { stage: string; rows: number; share: number; isDone?: boolean };

export type ImportOptions = {
  from: string;
  /** the source database; undefined: the one in the connection string */
  database: string | undefined;
  isDryRun: boolean;
  /** requires an earlier import; with a date, reads only source rows created or changed since then */
  since: 'last' | Date | null;
  /** accepts a target database that contains other data */
  isMerge: boolean;
  /** uses `updatedAt` of an edited post as its edit time, although a job of the source rewrites it */
  trustsUpdatedAt: boolean;
  signal: AbortSignal;
  onProgress: (progress: ImportProgress) => void;
};

/** `differences`: found by the final audit; null in a dry run */
export type ImportOutcome = { report: Report; taken: number; differences: number | null };

const DATA = [USERS, POSTS, COMMENTS, COLLECTIONS, INTERACTIONS, FOLLOWS];
/** Collections without unique indexes, apart from the primary key. */
const INDEXED_LATER = [POSTS, COMMENTS, INTERACTIONS, FOLLOWS];
/** Collections that are not imported. */
const IGNORED_COLLECTIONS = ['mediadeletionqueues', 'publications'];
/** The pseudo-stage after the last one: indexes, counters, audit, ranks. */
const FINISH = 'finish';
/** The share of the work that remains after the last row is stored, for the progress display. */
const FINISH_SHARE = 0.2;

/** Imports an OpenCanvas database while no server uses the target. Resumes an interrupted run. */
@Injectable()
export class ImportService {
  private readonly states: Collection<ImportState>;
  private readonly rows: Collection<ImportRow>;
  private readonly stages: readonly Stage[];

  constructor(
    private readonly mongo: MongoService,
    private readonly audits: AuditService,
    private readonly engagement: EngagementJob,
    private readonly events: EventPublisher,
    private readonly hosts: Hosts,
    renderer: PostRendererService,
  ) {
    this.states = mongo.collection(ImportStateSchema);
    this.rows = mongo.collection(ImportRowSchema);
    const posts = postsStage((markdown) => renderer.renderForWrite(markdown, 'import'));
    this.stages = [
      ...[USERS_STAGE, posts, COMMENTS_STAGE, COLLECTIONS_STAGE],
      ...[INTERACTIONS_STAGE, FOLLOWS_STAGE, FEATURED_STAGE],
    ];
  }

  /** Imports all stages. The next call resumes an interrupted run. @throws StartupError if source or target cannot be used */
  async run(options: ImportOptions): Promise<ImportOutcome> {
    const source = await Source.open(options.from, options.database);
    try {
      await this.requireOtherDatabase(source);
      const state = await this.begin(options);
      await this.runStages(source, state, options);
      return await this.finishRun(source, state, options);
    } finally {
      await source.close();
    }
  }

  status(): Promise<ImportState | null> {
    return this.states.findOne({ _id: OPENCANVAS_IMPORT });
  }

  /** Deletes the import's bookkeeping after the last import. @returns the number of deleted rows. @throws StartupError */
  async finish(): Promise<number> {
    const state = await this.status();
    if (state === null) throw new StartupError('No import in progress: nothing was imported, or it was finished.');
    if (state.state === 'running')
      throw new StartupError('The import is not complete: run it again before `import finish`.');
    const { deletedCount } = await this.rows.deleteMany({});
    await this.states.deleteOne({ _id: OPENCANVAS_IMPORT });
    return deletedCount;
  }

  private async requireOtherDatabase({ db }: Source): Promise<void> {
    const own = this.mongo.db;
    if (own.databaseName !== db.databaseName) return;
    const [here, there] = await Promise.all(
      [own, db].map((one) => one.admin().command({ hello: 1 }, { readPreference: 'primaryPreferred' })),
    );
    if (String(here!['me']) === String(there!['me']) && here!['me'] !== undefined)
      throw new StartupError(`The source is the database ${db.databaseName} of this server: set MONGODB_DATABASE.`);
  }

  /** Marks the database as importing before the first write, so that servers refuse to start until the import completes. */
  private async begin({ isDryRun, since, isMerge }: ImportOptions): Promise<ImportState> {
    const earlier = await this.status();
    if (earlier === null && since !== null)
      throw new StartupError('--since needs an earlier import: run the command without it first.');
    if (earlier === null && !isMerge) await this.requireEmpty();
    const newState: ImportState = {
      _id: OPENCANVAS_IMPORT,
      state: 'running',
      startedAt: new Date(),
      endedAt: null,
      stage: this.stages[0]!.name,
      lastId: null,
      report: {},
    };
    if (isDryRun) return newState;
    const serving = await this.hosts.findServing();
    if (serving.length > 0) {
      throw new StartupError(
        `Stop the servers of this database first (${serving.join(', ')}): an import bypasses their caches, also with --merge and --since. A killed server counts for 30 s.`,
      );
    }
    const state = earlier?.state === 'running' ? earlier : newState;
    await this.states.replaceOne({ _id: OPENCANVAS_IMPORT }, state, {
      upsert: true,
      writeConcern: { w: 'majority', journal: true },
    });
    // Builds unique indexes first, which enforce names and addresses. The others cost less when they are built at the end.
    await ensureIndexes(this.mongo.connection, { except: new Set(INDEXED_LATER) });
    return state;
  }

  private async requireEmpty(): Promise<void> {
    for (const name of DATA) {
      if ((await this.mongo.collection(name).findOne({}, { projection: { _id: 1 } })) === null) continue;
      const { databaseName } = this.mongo.db;
      throw new StartupError(
        `The database ${databaseName} already has data (${name}). Nothing was changed. Use an empty database, or add --merge.`,
      );
    }
  }

  private async runStages(source: Source, state: ImportState, options: ImportOptions): Promise<void> {
    const { isDryRun, since, trustsUpdatedAt, signal, onProgress } = options;
    const counts = await Promise.all(this.stages.map(({ collection }) => source.count(collection)));
    const total = counts.reduce((sum, count) => sum + count, 1);
    const first = this.stages.findIndex(({ name }) => name === state.stage);
    const context = {
      source,
      targets: new TargetLookup(this.mongo.db),
      now: state.startedAt,
      trustsUpdatedAt,
      isDryRun,
    };
    let done = Object.values(state.report).reduce((sum, { read }) => sum + read, 0);
    for (const [at, stage] of first < 0 ? [] : [...this.stages.entries()].slice(first)) {
      const onBatch = (rows: number): void => {
        done += rows;
        onProgress({ stage: stage.name, rows: done, share: Math.min(done / total, 1) * (1 - FINISH_SHARE) });
      };
      const run = new StageRun(this.mongo, stage, {
        context,
        state,
        since: since === 'last' ? null : since,
        signal,
        onBatch,
      });
      await run.run(this.stages[at + 1]?.name ?? FINISH);
    }
  }

  private async finishRun(source: Source, state: ImportState, options: ImportOptions): Promise<ImportOutcome> {
    const { isDryRun, signal, onProgress } = options;
    const { report } = state;
    for (const name of IGNORED_COLLECTIONS) await source.noteOther(name, report);
    const taken = Object.values(report).reduce((sum, stage) => sum + stage.taken, 0);
    if (isDryRun) return { report, taken, differences: null };
    const step = (stage: string, share: number): void => onProgress({ stage, rows: 0, share });
    step('indexes', 1 - FINISH_SHARE);
    await ensureIndexes(this.mongo.connection);
    if (taken > 0) {
      step('counters', 0.85);
      await this.audits.audit(() => {}, { isRepair: true, isAlone: true, signal });
      step('ranks', 0.9);
      if ((await this.engagement.run({ signal, now: new Date() })) === null)
        throw new StartupError('Another process computes ranks: run the command again in a minute.');
      await reportLostSaves(this.mongo.db, report);
    }
    step('audit', 0.95);
    const { differences } = await this.audits.audit(() => {}, { signal });
    await this.events.publishNow(ALL_CHANGED, null);
    await this.states.updateOne(
      { _id: OPENCANVAS_IMPORT },
      { $set: { state: 'done', endedAt: new Date(), report } },
      { writeConcern: { w: 'majority', journal: true } },
    );
    onProgress({ stage: 'done', rows: 0, share: 1, isDone: true });
    return { report, taken, differences };
  }
}
