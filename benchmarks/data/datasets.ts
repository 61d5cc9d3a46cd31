import type { MongoClient } from 'mongodb';
import { type DatasetDocument, SHAPE } from '../../seeds/documents/document-types.js';
import type { ProfileName } from '../../seeds/profiles.js';
import { ensureCaseACopy } from './case-a-copy.js';
import { Dataset } from './dataset.js';

export type DatasetsOptions = {
  client: MongoClient;
  mongoUri: string;
  seed: number;
  isFresh: boolean;
  onProgress: (line: string) => void;
  /** Runs the project's own CLI on the given database. */
  run: (program: 'cli' | 'seed', args: string[], database: string) => Promise<void>;
};

/** Seeded datasets by profile, made on first use and reused from the benchmark's data directory in the next run. */
export class Datasets {
  private readonly opened = new Map<ProfileName, Promise<Dataset>>();

  constructor(private readonly options: DatasetsOptions) {}

  open(profile: ProfileName): Promise<Dataset> {
    let dataset = this.opened.get(profile);
    if (!dataset) {
      dataset = this.make(profile);
      this.opened.set(profile, dataset);
    }
    return dataset;
  }

  private async make(profile: ProfileName): Promise<Dataset> {
    const { client, mongoUri, seed, isFresh, onProgress, run } = this.options;
    const name = `opencanvas_bench_${profile}`;
    const db = client.db(name);
    const readMark = () => db.collection<DatasetDocument>('dataset').findOne({ _id: 'seed' });
    let mark = await readMark();
    const isSame = mark?.profile === profile && mark.seed === seed && mark.shape === SHAPE;
    if (isFresh || mark?.state !== 'complete' || !isSame) {
      onProgress(`seeding the ${profile} dataset (kept for the next run)`);
      await run('seed', ['--profile', profile, '--seed', String(seed), '--yes'], name);
      mark = await readMark();
      if (mark?.state !== 'complete') throw new Error(`Seeding ${name} left no complete dataset.`);
    }
    // Stored data needs this, too: another revision may lack an index, or have left one that slows every write.
    await run('cli', ['migrate', 'up'], name);
    const caseA = `${name}_casea`;
    await ensureCaseACopy(client, mongoUri, name, caseA, onProgress);
    return new Dataset(profile, seed, { ...mark.counts }, db, client.db(caseA));
  }
}
