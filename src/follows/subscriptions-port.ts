import { Injectable } from '@nestjs/common';
import { namedValues } from '../common/named-values.js';
import type { Viewer } from '../platform/access/viewer.js';

export const WATCH_LEVELS = namedValues('WatchLevel', ['watching', 'muted']);
export type WatchLevel = (typeof WATCH_LEVELS)[number];
type SubscriptionReads = {
  /** @returns the accounts (hex ids) among `userIds` for which the viewer has a bell */
  bellsAmong: (viewer: Viewer, userIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** @returns the level of each watched or muted post, by hex id */
  watchLevels: (viewer: Viewer, postIds: readonly string[]) => Promise<ReadonlyMap<string, WatchLevel>>;
};

/** Bells and watched posts, for the viewer's state. NotificationsModule, which stores them, registers their reads. */
@Injectable()
export class SubscriptionsPort {
  private reads: SubscriptionReads = {
    bellsAmong: () => Promise.resolve(new Set()),
    watchLevels: () => Promise.resolve(new Map()),
  };

  register(reads: SubscriptionReads): void {
    this.reads = reads;
  }

  bellsAmong: SubscriptionReads['bellsAmong'] = (...of) => this.reads.bellsAmong(...of);

  watchLevels: SubscriptionReads['watchLevels'] = (...of) => this.reads.watchLevels(...of);
}
