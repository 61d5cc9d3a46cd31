import type { SharedCard } from './shared-card.js';

/** A post in a feed. */
export type FeedEntry = SharedCard & {
  /** unchanged when the post is renamed */
  id: string;
  /** for a CDATA section; undefined if only the summary is available */
  html: string | undefined;
  publishedAt: Date;
  updatedAt: Date;
};

export type FeedDocument = {
  id: string;
  title: string;
  description: string;
  homeUrl: string;
  selfUrl: string;
  updatedAt: Date;
  entries: FeedEntry[];
};
