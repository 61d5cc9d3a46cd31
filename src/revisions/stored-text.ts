import type { Binary } from 'mongodb';
import type { PostType } from '../posts/post-types.js';

/** The fields of an author's text in a row, with compressed Markdown. Only a draft may lack a type. */
export type StoredText = {
  title: string;
  type: PostType | null;
  tags: string[];
  thumbnailUrl: string | null;
  /** absent means null */
  canonicalUrl?: string | null;
  codec: 'zstd';
  /** UTF-8 bytes of the Markdown */
  rawLength: number;
  bytes: Binary;
};
