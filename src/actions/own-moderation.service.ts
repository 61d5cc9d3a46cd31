import { Injectable } from '@nestjs/common';
import { ObjectId } from 'mongodb';
import { AppConfig } from '../config/app-config.js';
import { ModerationHistoryService } from '../moderation/moderation-history.service.js';
import type { LoggedAction } from '../moderation/moderation-log.service.js';
import { isTextTarget, RemovedTextsService } from '../moderation/removed-texts.service.js';
import type { Viewer } from '../platform/access/viewer.js';
import type { Page } from '../platform/http/pagination/page.js';
import type { PageQuery } from '../platform/http/pagination/page.query.js';
import { Exported } from '../users/exported.decorator.js';
import { AppealsService } from './appeals.service.js';
import { type OwnActionDto, toOwnAction } from './dto/own-action.dto.js';

const BATCH = 100;

/** The actions on an account and its content, with its appeals, for the account. */
@Injectable()
export class OwnModerationService {
  private readonly showsNames: boolean;

  constructor(
    private readonly history: ModerationHistoryService,
    private readonly appeals: AppealsService,
    private readonly texts: RemovedTextsService,
    { moderation }: AppConfig,
  ) {
    this.showsNames = moderation.showsNames;
  }

  /** Lists the actions, latest first. */
  async list(viewer: Viewer, query: PageQuery): Promise<Page<OwnActionDto>> {
    const { data, page } = await this.history.listOfOwner(viewer._id, query);
    return { data: await this.withAppeals(data), page };
  }

  /** Streams the actions, latest first, for the export of the account. */
  @Exported('moderation.jsonl')
  async *stream(userId: ObjectId): AsyncGenerator<OwnActionDto, void, undefined> {
    let batch: LoggedAction[] = [];
    for await (const action of this.history.streamOfOwner(userId)) {
      if (batch.push(action) < BATCH) continue;
      yield* await this.withAppeals(batch);
      batch = [];
    }
    yield* await this.withAppeals(batch);
  }

  private async withAppeals(actions: LoggedAction[]): Promise<OwnActionDto[]> {
    const ids = actions.map(({ _id }) => _id);
    const [reversed, appeals, texts] = await Promise.all([
      this.history.findReversed(ids),
      this.appeals.findByActions(ids),
      this.texts.findByActions(actions.filter(({ targetKind }) => isTextTarget(targetKind)).map(({ _id }) => _id)),
    ]);
    return actions.map((action) => {
      const id = action._id.toHexString();
      return toOwnAction(action, reversed.has(id), appeals.get(id) ?? null, texts.get(id), this.showsNames);
    });
  }
}
