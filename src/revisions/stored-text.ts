import type { Binary } from 'mongodb';
import type { PostType } from '../posts/post-types.js';

/** What an author writes, as a row keeps it: the Markdown is compressed. Only a draft may lack a type. */
export type StoredText = {
  title: string;
  type: PostType | null;
  tags: string[];
  thumbnailUrl: string | null;
  /** absent, which is null, in most */
  canonicalUrl?: string | null;
  codec: 'zstd';
  /** UTF-8 bytes of the Markdown */
  rawLength: number;
  bytes: Binary;
};
