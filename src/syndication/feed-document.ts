/** A post in a feed. */
export type FeedEntry = {
  /** unchanged when the post is renamed */
  id: string;
  url: string;
  title: string;
  /** plain text */
  summary: string;
  /** for a CDATA section; undefined if only the summary is available */
  html: string | undefined;
  author: { name: string; url: string };
  tags: string[];
  imageUrl: string | null;
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
