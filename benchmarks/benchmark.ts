import { runProgram } from '../src/cli/run-program.js';
import { benchmarkCommand } from './benchmark.command.js';

await runProgram(benchmarkCommand);
