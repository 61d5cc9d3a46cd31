/** A post in a feed. */
export type FeedEntry = {
  /** stays when the post is renamed */
  id: string;
  url: string;
  title: string;
  /** text */
  summary: string;
  /** for a CDATA section as it is; undefined where only the summary is at hand */
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
