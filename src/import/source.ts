import { type Db, type Document, type Filter, MongoClient, MongoServerSelectionError, ObjectId } from 'mongodb';
import { StartupError } from '../common/errors.js';
import { emptyReport, note, type Report, type StageReport } from './report.js';

export type SourceRow = Document & { _id: ObjectId };
export type SourceRead = { collection: string; filter: Document; projection: Record<string, 1> };

const BATCH_ROWS = 1_000;
/** Limits the text in a batch, so that it fits into one transaction. */
const BATCH_CHARACTERS = 6_000_000;
const FIRST_ID = new ObjectId('000000000000000000000000');
const SELECTION_MS = 10_000;

/** The database of an OpenCanvas server. Read-only. */
export class Source {
  private constructor(
    private readonly client: MongoClient,
    readonly db: Db,
  ) {}

  /** Connects to the source. @throws StartupError if the source is unavailable, empty, or not an OpenCanvas database */
  static async open(uri: string, database: string | undefined): Promise<Source> {
    let client: MongoClient;
    try {
      const isTimeGiven = /[?&]serverSelectionTimeoutMS=/i.test(uri);
      client = new MongoClient(uri, {
        appName: 'opencanvas-import',
        readPreference: 'secondaryPreferred',
        ...(!isTimeGiven && { serverSelectionTimeoutMS: SELECTION_MS }),
      });
    } catch (error) {
      throw new StartupError(`The URI of the source is invalid: ${reasonOf(error)}.`);
    }
    try {
      const source = new Source(client, client.db(database));
      await source.requireOpenCanvas();
      return source;
    } catch (error) {
      await client.close();
      if (error instanceof StartupError) throw error;
      const hosts = client.options.hosts.map(String).join(', ');
      const advice =
        error instanceof MongoServerSelectionError
          ? 'start it, or correct --from'
          : 'check the user, the password and the rights in --from';
      throw new StartupError(`The source at ${hosts} cannot be read (${reasonOf(error)}): ${advice}.`, error);
    }
  }

  close(): Promise<void> {
    return this.client.close();
  }

  /** Returns an estimated count. */
  count(collection: string): Promise<number> {
    return this.db.collection(collection).estimatedDocumentCount();
  }

  /** Streams the rows after the id `after`, sorted by id, in batches of at most 1,000 rows, fewer if their texts are long. */
  async *batches({ collection, filter, projection }: SourceRead, after: ObjectId | null): AsyncGenerator<SourceRow[]> {
    const range = { _id: { $gt: after ?? FIRST_ID } };
    const cursor = this.db
      .collection<SourceRow>(collection)
      .find({ ...range, ...filter } as Filter<SourceRow>, { projection, batchSize: BATCH_ROWS })
      .sort({ _id: 1 });
    let batch: SourceRow[] = [];
    let characters = 0;
    for await (const row of cursor) {
      batch.push(row);
      const content: unknown = row['content'];
      if (typeof content === 'string') characters += content.length;
      if (batch.length < BATCH_ROWS && characters < BATCH_CHARACTERS) continue;
      yield batch;
      batch = [];
      characters = 0;
    }
    if (batch.length > 0) yield batch;
  }

  /** Reports rows whose id is not an ObjectId; they cannot be imported. */
  async noteOtherIds(collection: string, report: StageReport): Promise<void> {
    const others = this.db
      .collection<{ _id: unknown }>(collection)
      .find({ _id: { $not: { $type: 'objectId' } } as never });
    for await (const { _id } of others.project<{ _id: unknown }>({ _id: 1 })) {
      report.read++;
      note(report.skipped, 'its id is no ObjectId', JSON.stringify(_id));
    }
  }

  /** Reports the row count of a collection that has no counterpart here. */
  async noteOther(collection: string, report: Report): Promise<void> {
    const count = await this.count(collection);
    if (count === 0) return;
    report[collection] = { ...emptyReport(), read: count };
    note(report[collection].skipped, 'no such thing here', collection, count);
  }

  async find(collection: string, ids: ObjectId[], projection: Record<string, 1>): Promise<SourceRow[]> {
    if (ids.length === 0) return [];
    return this.db
      .collection<SourceRow>(collection)
      .find({ _id: { $in: ids } }, { projection })
      .toArray();
  }

  private async requireOpenCanvas(): Promise<void> {
    const name = this.db.databaseName;
    const found = await this.db.listCollections({}, { nameOnly: true }).toArray();
    const names = new Set(found.map((collection) => collection.name));
    if (names.has('post_bodies'))
      throw new StartupError(`The source ${name} is a database of this product: use \`backup\` and \`restore\`.`);
    const user = names.has('users') ? await this.db.collection('users').findOne() : null;
    if (user === null)
      throw new StartupError(`The source ${name} has no users: name the database of OpenCanvas with --database.`);
    const post = await this.db.collection('posts').findOne();
    const isOurs = typeof user['username'] === 'string' && typeof user['email'] === 'string';
    if (isOurs && (post === null || ('authorId' in post && 'content' in post))) return;
    throw new StartupError(
      `The source ${name} is not of OpenCanvas (users with username and email, posts with authorId and content): name another with --database.`,
    );
  }
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).replace(/\.$/, '');
}
