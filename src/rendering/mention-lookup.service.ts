import { Injectable } from '@nestjs/common';
import { AppConfig } from '../config/app-config.js';
import { UsersService } from '../users/users.service.js';
import { namesToLookUp, type People } from './mentions.js';

/** Looks up the accounts that texts may mention. */
@Injectable()
export class MentionLookupService {
  private readonly profiles: string;

  constructor(
    private readonly users: UsersService,
    { site }: AppConfig,
  ) {
    this.profiles = site.profiles;
  }

  /** Runs no query for texts without an `@`. */
  async find(texts: readonly string[]): Promise<People> {
    const names = [...new Set(texts.flatMap(namesToLookUp))];
    if (names.length === 0) return new Map();
    const found = await this.users.findByNames(names);
    return new Map(
      [...found].map(([name, { _id, username }]) => [name, { id: _id.toHexString(), url: this.profiles + username }]),
    );
  }
}
