import { Logger } from '@nestjs/common';
import type { ObjectId } from 'mongodb';
import type { Viewer } from './viewer.js';

const logger = new Logger('Moderation');

type Action = {
  viewer: Viewer;
  /** past tense: deleted */
  did: string;
  /** a kind and an id: post 6650… */
  target: string;
  ownerId: ObjectId;
};

/** Logs an action of a moderator on the content of another account. Call it after the commit. */
export function logModeration({ viewer, did, target, ownerId }: Action): void {
  const owner = ownerId.toHexString();
  if (owner !== viewer.id) logger.log(`${viewer.role} ${viewer.id} ${did} ${target} of user ${owner}`);
}
