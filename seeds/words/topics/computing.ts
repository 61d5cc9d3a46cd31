import { science, type Topic } from './topic.js';

export const COMPUTING: readonly Topic[] = [
  science(
    'machine learning',
    'software data statistics methods',
    `
    things: model; label; training run; embedding; baseline; loss curve; test set; feature; prompt; gradient
    people: data scientist; annotator; reviewer; research engineer; statistician
    tools: random seed; notebook; linear baseline; confusion matrix; spare GPU
    places: in the test set; on the validation split; at the last layer; in production; below the baseline
    measures: held-out accuracy; calibration; the cost of labels; latency at the edge; inter-annotator agreement
    acts: relabelling the errors; plotting the loss; reading a hundred examples; training a smaller model; removing one feature at a time
    troubles: leakage; drift; a duplicated row; an imbalanced class; a lucky seed
    facts: A model that is right for the wrong reason fails quietly; Looking at a hundred errors teaches more than another hundred parameters; The simplest baseline is often never beaten; A test set that is used every day becomes a training set; Labels are opinions with a deadline; More data helps until it is the same data again`,
  ),
  science(
    'distributed systems',
    'software networks data tools',
    `
    things: replica; leader; timeout; queue; partition; clock; retry; quorum; log; heartbeat
    people: on-call engineer; architect; operator; tester; database author
    tools: fault injector; tracing tool; stopwatch; model checker; whiteboard
    places: in the second region; behind the load balancer; on the follower; at the edge of the timeout; in the commit log
    measures: tail latency; replication lag; the rate of retries; clock skew; time to recover
    acts: pulling a cable; reading the logs backwards; replaying an incident; halving the timeout; writing the runbook
    troubles: a retry storm; split brain; clock skew; a slow disk; a half-open connection
    facts: A message that was not confirmed may still have arrived; Two clocks never agree for long; A slow replica is harder to handle than a dead one; Every retry needs an upper limit; Consensus needs a majority and not everyone; A backup counts only after a restore`,
  ),
  science(
    'compilers',
    'software history teaching design',
    `
    things: parser; token; register; syntax tree; error message; optimizer; linker; basic block; type checker; backend
    people: compiler writer; language designer; student; maintainer; release manager
    tools: fuzzer; debugger; reference manual; profiler; printout of the assembly
    places: in the front end; after the third pass; on the stack; at the call site; in the inner loop
    measures: compile time; code size; instructions per iteration; the number of spills; time to first error
    acts: reading assembly; bisecting a miscompilation; writing error messages; shrinking a test case; removing a pass
    troubles: undefined behavior; a spill in the loop; an ambiguous grammar; a cascading error; an off-by-one in the lexer
    facts: Grace Hopper wrote about a program that assembles programs in 1952; A good error message names the line and a remedy; Most programs spend their time in a few lines; An optimizer may remove what a programmer thinks is there; Many compilers are written in the language they compile; A parser is easy until it must recover`,
  ),
  science(
    'database indexes',
    'software data tools methods',
    `
    things: index/indexes; query; page; B-tree; key; query plan; cache; table; cursor; write
    people: database administrator; analyst; backend developer; consultant; trainee
    tools: query planner; slow query log; copy of production; stopwatch; spreadsheet
    places: in the leaf page; on the primary; behind the cache; at the end of the month; in the slow query log
    measures: pages read per query; write amplification; index size; the ratio of hits; rows examined
    acts: reading the plan; dropping an unused index; counting pages; replaying yesterday's queries; sorting by the right field
    troubles: a full scan; a missing prefix; a bloated page; a stale statistic; a lock at noon
    facts: An index makes reads faster and every write a little slower; A compound key serves its prefixes too; The fastest query is the one that is not sent; A plan that is good for a thousand rows may be bad for a million; Deep pages by offset read everything they skip; A B-tree with a billion keys is only a few levels deep`,
  ),
  science(
    'cryptography',
    'mathematics software policy history',
    `
    things: key; cipher; signature; hash; nonce; padlock; certificate; key ceremony; one-time pad; protocol
    people: cryptographer; auditor; wiretap lawyer; archivist; security engineer
    tools: hardware token; random number generator; proof assistant; codebook; frequency table
    places: in the handshake; at the key ceremony; on the smart card; in the Polish bureau; behind the firewall
    measures: bits of entropy; handshake time; key length; side-channel leakage; the age of certificates
    acts: rotating keys; checking a signature; reading the standard; breaking an old cipher; rolling dice for a passphrase
    troubles: a reused nonce; a weak random source; an expired certificate; a timing leak; a key in the repository
    facts: A cipher should be safe even if everything but the key is public; A one-time pad is unbreakable only if it is used one time; Polish mathematicians read Enigma before the war; Most systems fail around the cipher and not in it; A hash that cannot be reversed can still be guessed; Long passphrases are easier to remember than short riddles`,
  ),
  science(
    'game design',
    'design software stories teaching',
    `
    things: level; dice roll; rulebook; token; prototype; tutorial; quest; playtest; score; puzzle
    people: designer; playtester; illustrator; game master; level artist
    tools: paper prototype; deck of index cards; timer; spreadsheet; pair of dice
    places: at the second table; in the tutorial; on level three; in the last round; at the board game café
    measures: minutes per turn; laughs per round; quit points; the length of the rulebook; win rates
    acts: playtesting with strangers; cutting rules; watching without helping; rebalancing the dice; printing new cards
    troubles: a runaway leader; a dull first turn; analysis paralysis; an unreadable icon; a forgotten rule
    facts: A rule that nobody remembers is not part of the game; Players enjoy a loss that they understand; The first prototype should take an hour and no more; Silence at the table may be boredom or thought; Chess has fewer rules than most card games; A tutorial is the level everyone plays`,
  ),
  science(
    'open data',
    'data policy software statistics',
    `
    things: data set; column; licence; download; portal; bus timetable; spreadsheet; dictionary of fields; broken link; map layer
    people: civic hacker; city clerk; statistician; journalist; transport planner
    tools: plain CSV file; public ledger; version history; checksum; request form
    places: on the city portal; in the appendix; at the hackathon; behind the login; in column seven
    measures: downloads per month; missing values; days until a reply; update intervals; the number of formats
    acts: documenting columns; asking for the raw file; cleaning addresses; drawing one honest chart; reading the licence
    troubles: a PDF table; a silent change of units; a missing licence; a locked spreadsheet; duplicate rows
    facts: A table without units is a riddle; Data that is published once and never updated misleads; The best documentation is a column that explains itself; Public money paid for most of these files; A map makes errors visible in a minute; Dates have more formats than there are months`,
  ),
  science(
    'robot ethics',
    'robots policy philosophy software',
    `
    things: robot; sensor; care home; delivery cart; emergency stop; consent form; decision log; factory arm; drone; toy
    people: roboticist; care worker; ethicist; lawyer; resident
    tools: big red button; decision log; hazard table; focus group; soft gripper
    places: in the care home; at the crossing; on the factory floor; in the committee; beside the charging dock
    measures: near misses; reaction times; trust before and after; hours of supervision; complaints
    acts: asking the residents; testing the stop button; writing down who is liable; watching people wave at a robot; reading the incident log
    troubles: overtrust; a blocked sensor; an unclear duty; a hacked camera; a vague rule
    facts: People apologize to robots that they bump into; Asimov wrote his laws so that they would fail in interesting ways; A machine that looks clever is trusted with too much; Somebody always answers for a machine; The word robot comes from a Czech play of 1920; Delay is a decision too`,
  ),
  science(
    'typography',
    'design history craft writing',
    `
    things: serif; ligature; font; margin; letterpress; poster; comma; specimen sheet; glyph; galley
    people: type designer; printer; book designer; sign painter; proofreader
    tools: composing stick; loupe; type scale; grid; drawer of metal type
    places: in the margin; on the title page; at the foundry; in the lower case; along the baseline
    measures: line length; contrast; x-height; reading speed; the space between words
    acts: kerning by eye; setting one line by hand; printing proofs; reading aloud; drawing the letter a
    troubles: a river of white; a missing glyph; a widow; bad hyphenation; grey on grey
    facts: Capitals were kept in the upper case of the printer's drawers; A line of about sixty-five characters is easy to read; Italics began as a way to save paper; The full stop is older than the space between words; Most readers notice type only when it is wrong; Garamond's letters are nearly five centuries old`,
  ),
  science(
    'chess',
    'philosophy history teaching statistics',
    `
    things: pawn; endgame; opening; bishop; blunder; tournament; clock; rook; score sheet; club
    people: arbiter; club player; grandmaster; junior; problem composer
    tools: chess clock; engine; score sheet; travel set; opening book
    places: on the queenside; at the club; in the endgame; on board four; in the last round
    measures: rating points; centipawns; time per move; the draw rate; opening choices
    acts: analysing lost games; solving three puzzles a day; playing without an engine; trading queens; teaching beginners
    troubles: time trouble; a hanging piece; a premature attack; an illegal move; a lost score sheet
    facts: After three moves each there are more than a hundred million possible games; Rook endings are the most common of all endings; The queen became the strongest piece only in the fifteenth century; Adriaan de Groot found that masters see fewer moves and better ones; A draw can be a triumph; The oldest printed chess book is from 1497`,
  ),
];
