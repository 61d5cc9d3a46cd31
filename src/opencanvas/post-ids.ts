import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { AppConfig } from '../config/app-config.js';

const RANDOM_BYTES = 7;
const MAC_BYTES = 5;

/**
 * Post ids that the client requests before it saves a post. No id is stored: the last five bytes are a MAC of the account and the first
 * seven bytes, so an account can create posts only with ids issued to it.
 */
@Injectable()
export class PostIds {
  private readonly secrets: readonly string[];

  constructor({ auth }: AppConfig) {
    this.secrets = auth.tokenSecrets;
  }

  create(userId: string): ObjectId {
    const random = randomBytes(RANDOM_BYTES);
    return new ObjectId(Buffer.concat([random, macOf(this.secrets[0]!, userId, random)]));
  }

  /** Whether this id was issued to the account. */
  isOf(userId: string, id: ObjectId): boolean {
    const [random, mac] = [id.id.subarray(0, RANDOM_BYTES), id.id.subarray(RANDOM_BYTES)];
    return this.secrets.some((secret) => timingSafeEqual(mac, macOf(secret, userId, random)));
  }
}

function macOf(secret: string, userId: string, random: Uint8Array): Buffer {
  const mac = createHmac('sha256', `opencanvas post id:${secret}`).update(random).update(userId).digest();
  return mac.subarray(0, MAC_BYTES);
}
