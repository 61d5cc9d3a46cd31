import { Command } from 'commander';
import { withServices } from './cli-context.js';

/** `media audit`: compares images with their files and their references. */
export function mediaCommand(): Command {
  const audit = new Command('audit')
    .description('compare every picture with its files and with who names it; exit code 1 when something is wrong')
    .action(runAudit);
  return new Command('media').description('pictures and their files').addCommand(audit, { isDefault: true });
}

async function runAudit(): Promise<void> {
  const { MediaAudit } = await import('../media/media-audit.service.js');
  await withServices(async (app, signal) => {
    const { pictures, files, faults } = await app.get(MediaAudit).run((line) => console.log(line), signal);
    console.log(`${faults} faults among ${pictures} pictures and ${files} files.`);
    if (faults > 0) process.exitCode = 1;
  });
}
