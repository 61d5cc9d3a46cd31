import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { toAuthor } from '../users/author-snapshot.js';
import { UsersService } from '../users/users.service.js';
import type { SuggestQuery } from './dto/search.query.js';
import { IndexReaders } from './index-readers.js';
import { requireTerms } from './search.service.js';
import type { SuggestionsDto } from './search.dto.js';

/** Suggestions for an unfinished search. */
@Injectable()
export class SuggestService {
  constructor(
    private readonly readers: IndexReaders,
    private readonly users: UsersService,
  ) {}

  /** @throws CodedError `search_not_ready`, `overloaded` */
  async suggest({ q, limit }: SuggestQuery): Promise<SuggestionsDto> {
    const { userIds, tags, words } = await this.readers.suggest(requireTerms(q), limit);
    const users = await this.users.findUsers(userIds.map((id) => ObjectId.createFromHexString(id)));
    return { data: { users: users.map((user) => toAuthor(user._id, user)), tags, words } };
  }
}
