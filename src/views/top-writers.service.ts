import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import type { Page } from '../platform/http/pagination/page.js';
import { Paginator } from '../platform/http/pagination/paginator.js';
import { findOne } from '../platform/mongo/lean-reads.js';
import { isLimited } from '../users/standing.js';
import { toTopWriter, type TopWriterDto } from '../users/user.dto.js';
import { UsersService } from '../users/users.service.js';
import type { TopWritersQuery } from './dto/top-writers.dto.js';
import { MAX_TOP_WRITERS, WriterList, type WriterWindow } from './writer-list.schema.js';

const NO_ID = '0'.repeat(24);

type Account = Awaited<ReturnType<UsersService['top']>>[number];
type Row = { rank: number; account: Account | undefined };

/** Lists the writers with the most likes per post, or with the highest score of a window. */
@Injectable()
export class TopWritersService {
  constructor(
    private readonly users: UsersService,
    private readonly paginator: Paginator,
    @InjectModel(WriterList.name) private readonly lists: Model<WriterList>,
  ) {}

  /** A page continues at a rank: a writer whose rank changes between two pages may be missing, or listed twice. */
  list(query: TopWritersQuery): Promise<Page<TopWriterDto>> {
    const { window } = query;
    return this.paginator.list<Row, TopWriterDto>({
      query,
      scope: `top-writers|${window ?? ''}`,
      positionOf: ({ rank }) => ({ value: rank, id: NO_ID }),
      read: async (after, limit) => {
        const from = after?.value ?? 0;
        const to = Math.min(from + limit, MAX_TOP_WRITERS);
        const accounts =
          window === undefined ? (await this.users.top(to)).slice(from) : await this.ofWindow(window, from, to);
        return accounts.map((account, at) => ({ rank: from + at + 1, account }));
      },
      resolve: async (rows) => rows.map(({ account }) => (isShown(account) ? toTopWriter(account) : null)),
    });
  }

  /** Empty before the first run of the job. A deleted account is undefined. */
  private async ofWindow(window: WriterWindow, from: number, to: number): Promise<(Account | undefined)[]> {
    const ids = ((await findOne(this.lists, { _id: window }, { ids: 1 }))?.ids ?? []).slice(from, to);
    const accounts = new Map((await this.users.findUsers(ids)).map((account) => [account._id.toHexString(), account]));
    return ids.map((id) => accounts.get(id.toHexString()));
  }
}

function isShown(account: Account | undefined): account is Account {
  return account !== undefined && account.stats.postsCount > 0 && !isLimited(account.standing);
}
