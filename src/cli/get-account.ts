import type { INestApplicationContext } from '@nestjs/common';
import { StartupError } from '../common/errors.js';
import type { User } from '../users/user.schema.js';

/** @param login username, also a previous one, or e-mail address @throws StartupError */
export async function getAccount(app: INestApplicationContext, login: string): Promise<User> {
  const user = await findAccount(app, login);
  if (user === null) throw new StartupError(`Account not found: ${login}.`);
  return user;
}

async function findAccount(app: INestApplicationContext, login: string): Promise<User | null> {
  const { UsersService } = await import('../users/users.service.js');
  const users = app.get(UsersService);
  if (!login.includes('@')) return users.findByUsername(login);
  const { CredentialsService } = await import('../auth/credentials.service.js');
  const credential = await app.get(CredentialsService).findByLogin(login);
  return credential && users.findById(credential._id);
}
