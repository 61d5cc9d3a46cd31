import { Command } from 'commander';
import { withServices } from './cli-context.js';

/** `secrets reseal` is the last step before a key is taken off AUTH_ENCRYPTION_KEYS. */
export function secretsCommand(): Command {
  const reseal = new Command('reseal')
    .description('seal the secrets of second factors anew, under the first of AUTH_ENCRYPTION_KEYS')
    .action(resealSecrets);
  return new Command('secrets').description('secrets that the database holds').addCommand(reseal);
}

async function resealSecrets(): Promise<void> {
  const { ProofCheck } = await import('../second-factors/proof-check.js');
  await withServices(async (app) => console.log(`${await app.get(ProofCheck).resealAll()} secrets sealed anew.`));
}
