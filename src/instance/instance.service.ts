import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { SignedInDto } from '../auth/account.dto.js';
import { AccountCreationService } from '../auth/account-creation.service.js';
import type { ClientInfo } from '../auth/client-info.js';
import { CodedError } from '../common/errors.js';
import { AppConfig } from '../config/app-config.js';
import { setupCodeOf } from '../config/token-secrets.js';
import { MAX_BYTES, MAX_UPLOAD_BYTES } from '../media/media-limits.js';
import { ModerationLogService } from '../moderation/moderation-log.service.js';
import type { Viewer } from '../platform/access/viewer.js';
import { MongoService } from '../platform/mongo/mongo.service.js';
import type { Transaction } from '../platform/mongo/transaction.js';
import { SITE_SETTINGS_ID } from '../platform/site-settings/site-settings.schema.js';
import { SiteSettingsService } from '../platform/site-settings/site-settings.service.js';
import { MAX_CONTENT, MAX_SUBTITLE, MAX_TITLE } from '../posts/post-rules.js';
import { UserAccountsService } from '../users/user-accounts.service.js';
import type { InstanceDto } from './dto/instance.dto.js';
import type { SetupBody, UpdateInstance } from './dto/setup.dto.js';

/** What clients know of the site, its first run, and changes of its settings. The moderation log has both. */
@Injectable()
export class InstanceService {
  constructor(
    private readonly mongo: MongoService,
    private readonly settings: SiteSettingsService,
    private readonly creation: AccountCreationService,
    private readonly accounts: UserAccountsService,
    private readonly log: ModerationLogService,
    private readonly config: AppConfig,
  ) {}

  async get(): Promise<InstanceDto> {
    const { site, auth, comments, rateLimit } = this.config;
    return {
      ...(await this.settings.get()),
      needsSetup: !(await this.accounts.exists()),
      languages: site.languages,
      limits: {
        titleLength: MAX_TITLE,
        subtitleLength: MAX_SUBTITLE,
        contentLength: MAX_CONTENT,
        commentLength: comments.maxLength,
        uploadBytes: MAX_UPLOAD_BYTES,
        imageBytes: MAX_BYTES,
        readsPerMinute: rateLimit.readsPerMinute,
        writesPerMinute: rateLimit.writesPerMinute,
      },
      providers: Object.keys(auth.oidcProviders).sort(),
    };
  }

  /** @throws CodedError `invalid_input` for a field of an environment variable */
  async update(by: Viewer, edit: UpdateInstance): Promise<InstanceDto> {
    await this.mongo.transaction((tx) => this.change(by, edit, tx));
    return this.get();
  }

  /**
   * Creates the admin and stores the settings, once: the row of the settings makes the code invalid, and one of concurrent setups sees that
   * of the other.
   * @throws CodedError `invalid_setup_code`, `setup_done`, `invalid_input`, and as `AccountCreationService.createAdmin`
   */
  async setUp({ code, name, registration, ...account }: SetupBody, client: ClientInfo): Promise<SignedInDto> {
    const [given, right] = [Buffer.from(code), Buffer.from(setupCodeOf(this.config.auth.tokenSecrets))];
    if (given.length !== right.length || !timingSafeEqual(given, right))
      throw new CodedError('invalid_setup_code', 'Use the code that the server printed at its start.');
    return this.creation.createAdmin(account, client, async (targetId, tx) => {
      if ((await this.settings.areStored(tx)) || (await this.accounts.adminIds(tx)).length > 0)
        throw new CodedError('setup_done', 'The site has an admin already: sign in.');
      await this.change(null, { name, registration }, tx);
      await this.log.add({ by: null, kind: 'set_role', targetKind: 'user', targetId, detail: 'user -> admin' }, tx);
    });
  }

  private async change(by: Viewer | null, edit: UpdateInstance, tx: Transaction): Promise<void> {
    const changed = await this.settings.change(edit, tx);
    if (changed.length === 0) return;
    const detail = changed.map((field) => (field === 'name' ? field : `${field} ${edit[field]}`)).join(', ');
    const target = { targetKind: 'settings', targetId: SITE_SETTINGS_ID } as const;
    await this.log.add({ by, kind: 'change_settings', ...target, detail }, tx);
  }
}
