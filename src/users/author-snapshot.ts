import type { ObjectId } from 'mongodb';
import { publicUrl } from '../common/own-files.js';

/** The copy of an author in posts and comments, so that reads need no lookup. */
export type AuthorSnapshot = { username: string; fullName: string; profilePicture: string | null };

/** Fields of AuthorSnapshot in the order of a response. */
export const AUTHOR_FIELDS = ['username', 'fullName', 'profilePicture'] as const satisfies (keyof AuthorSnapshot)[];

/** An author in every response. */
export type AuthorJson = { id: string } & AuthorSnapshot;

export function toAuthor(authorId: ObjectId, snapshot: AuthorSnapshot): AuthorJson {
  return {
    id: authorId.toHexString(),
    username: snapshot.username,
    fullName: snapshot.fullName,
    profilePicture: publicUrl(snapshot.profilePicture),
  };
}
