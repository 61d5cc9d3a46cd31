import { runProgram } from '../src/cli/run-program.js';
import { seedCommand } from './seed.command.js';

await runProgram(seedCommand);
