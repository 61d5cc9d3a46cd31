import { Injectable } from '@nestjs/common';
import { InjectModel } from '@nestjs/mongoose';
import type { Model } from 'mongoose';
import { CodedError } from '../../common/errors.js';
import { AppConfig } from '../../config/app-config.js';
import type { RegistrationMode } from '../../config/env.schema.js';
import { findOne } from '../mongo/lean-reads.js';
import type { Transaction } from '../mongo/transaction.js';
import { SITE_SETTINGS_ID, SITE_TAG, StoredSiteSettings } from './site-settings.schema.js';

export type SiteSettings = { name: string; registration: RegistrationMode };
type Field = keyof SiteSettings;

const VARIABLES = { name: 'PUBLIC_SITE_NAME', registration: 'REGISTRATION' } as const;
const FIELDS = Object.keys(VARIABLES) as Field[];

/** Name and registration mode of the site: of an environment variable if it is set, else as admins have stored them, else the default. */
@Injectable()
export class SiteSettingsService {
  private readonly ofEnvironment: { [F in Field]: SiteSettings[F] | undefined };

  constructor(
    { site, registration }: AppConfig,
    @InjectModel(StoredSiteSettings.name) private readonly rows: Model<StoredSiteSettings>,
  ) {
    this.ofEnvironment = { name: site.name, registration: registration.mode };
  }

  async get(tx?: Transaction): Promise<SiteSettings> {
    const { name, registration } = this.ofEnvironment;
    const row = await this.find(tx);
    return {
      name: name ?? row?.name ?? 'OpenCanvas',
      registration: registration ?? row?.registration ?? 'open',
    };
  }

  async areStored(tx: Transaction): Promise<boolean> {
    return (await this.find(tx)) !== null;
  }

  /** Stores settings and returns the names of those that differ. @throws CodedError `invalid_input` for one that a variable sets */
  async change(edit: { [F in Field]?: SiteSettings[F] | undefined }, tx: Transaction): Promise<Field[]> {
    const current = await this.get(tx);
    const changed = FIELDS.filter((field) => edit[field] !== undefined && edit[field] !== current[field]);
    const fields = changed
      .filter((field) => this.ofEnvironment[field] !== undefined)
      .map((field) => ({ field, message: `is set by the environment variable ${VARIABLES[field]}` }));
    if (fields.length > 0)
      throw new CodedError('invalid_input', `${fields[0]!.field} ${fields[0]!.message}.`, { fields });
    const $set = { ...Object.fromEntries(changed.map((field) => [field, edit[field]])), updatedAt: new Date() };
    const options = { session: tx.session, upsert: true, runValidators: true, setDefaultsOnInsert: true };
    await this.rows.updateOne({ _id: SITE_SETTINGS_ID }, { $set }, options);
    tx.invalidate([SITE_TAG]);
    return changed;
  }

  private find(tx: Transaction | undefined): Promise<Pick<StoredSiteSettings, Field> | null> {
    const options = tx === undefined ? {} : { session: tx.session };
    return findOne(this.rows, { _id: SITE_SETTINGS_ID }, { name: 1, registration: 1 }, options);
  }
}
