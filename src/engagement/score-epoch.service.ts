import { Injectable } from '@nestjs/common';
import { ClusterBus } from '../platform/cluster/bus.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import {
  FIRST_EPOCH,
  SCORE_EPOCH_CHANNEL,
  SCORE_EPOCH_ID,
  SCORE_EPOCHS_COLLECTION,
  type ScoreEpoch,
  type ScoreEpochRow,
} from './score-epoch.js';

/** how long another host may go on with what it knew */
export const EPOCH_REFRESH_MS = 1_000;

/**
 * The current ranking epoch, held in the process: a read asks memory, one query a second at most keeps it true. The answer may
 * be a second old, which is harmless: the slot of the epoch before stays as it was until the next run of the job.
 */
@Injectable()
export class ScoreEpochService {
  private held: ScoreEpoch | undefined;
  private heldAt = 0;
  private refreshing: Promise<ScoreEpoch> | undefined;

  constructor(
    private readonly mongo: MongoService,
    bus: ClusterBus,
  ) {
    bus.subscribe(SCORE_EPOCH_CHANNEL, () => void this.refresh().catch(() => undefined));
  }

  current(): ScoreEpoch | Promise<ScoreEpoch> {
    if (this.held === undefined) return this.refresh();
    // with the database away the last known epoch keeps serving
    if (Date.now() - this.heldAt > EPOCH_REFRESH_MS) this.refresh().catch(() => undefined);
    return this.held;
  }

  /** Reads the epoch now; called after a flip. */
  refresh(): Promise<ScoreEpoch> {
    this.refreshing ??= this.read().finally(() => (this.refreshing = undefined));
    return this.refreshing;
  }

  private async read(): Promise<ScoreEpoch> {
    const row = await this.mongo.collection<ScoreEpochRow>(SCORE_EPOCHS_COLLECTION).findOne({ _id: SCORE_EPOCH_ID });
    this.held =
      row === null
        ? FIRST_EPOCH
        : {
            epoch: row.epoch,
            slot: row.slot,
            scoredAt: row.scoredAt,
            isPreviousReadable:
              row.epoch > 1 && row.filling === null && (row.previousUntil?.getTime() ?? Infinity) > Date.now(),
          };
    this.heldAt = Date.now();
    return this.held;
  }
}
