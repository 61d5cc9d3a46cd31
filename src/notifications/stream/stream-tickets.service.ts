import { Injectable } from '@nestjs/common';
import { OneTimeTokensService, type TokenKind } from '../../auth/one-time-tokens.service.js';
import { CodedError } from '../../common/errors.js';
import { AccessTokenService } from '../../platform/access/access-token.service.js';
import type { Role, Viewer } from '../../platform/access/viewer.js';
import { MongoService } from '../../platform/mongo/mongo.service.js';
import { viewerOf } from '../../users/actor.js';
import { isBanned } from '../../users/standing.js';
import { UserAccountsService } from '../../users/user-accounts.service.js';
import type { StreamTicketDto } from '../dto/notification-stream.dto.js';

const TTL_SECONDS = 60;
const STREAM_TICKET: TokenKind<{ role: Role; signInId: string | null }> = {
  name: 'stream-ticket',
  ttlMs: TTL_SECONDS * 1_000,
};

/** Tickets that authorize one stream. EventSource in browsers cannot send an Authorization header. */
@Injectable()
export class StreamTicketsService {
  constructor(
    private readonly mongo: MongoService,
    private readonly oneTimeTokens: OneTimeTokensService,
    private readonly accessTokens: AccessTokenService,
    private readonly accounts: UserAccountsService,
  ) {}

  async issue({ _id: userId, role, signInId }: Viewer): Promise<StreamTicketDto> {
    const ticket = await this.mongo.transaction((tx) =>
      this.oneTimeTokens.issue(STREAM_TICKET, userId, { role, signInId: signInId ?? null }, tx),
    );
    return { ticket, expiresIn: TTL_SECONDS };
  }

  /**
   * Returns the account that the ticket was issued to. A ticket is valid once, on any host.
   * @throws CodedError `invalid_stream_ticket`
   */
  async use(ticket: string): Promise<Viewer> {
    const found = await this.mongo.transaction((tx) => this.oneTimeTokens.use(STREAM_TICKET, ticket, tx));
    const signInId = found?.data.signInId ?? undefined;
    const reader = found && (await this.accounts.actor(found.userId));
    const viewer = reader && { ...viewerOf(reader, found.data.role), signInId };
    await this.accessTokens.confirm();
    if (viewer === null || isBanned(reader!) || this.accessTokens.isRevoked(viewer))
      throw new CodedError('invalid_stream_ticket', 'The ticket is unknown, used or expired. Request a new one.');
    return viewer;
  }
}
