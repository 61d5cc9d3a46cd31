import { culture, type Topic } from './topic.js';

export const SOCIETY: readonly Topic[] = [
  culture(
    'medieval trade',
    'history economics archives cities',
    `
    things: ledger; merchant; cog; wool bale; toll; guild; fair; spice; seal; warehouse
    people: notary; economic historian; archivist; shipwright; weaver
    tools: account book; magnifying glass; tax roll; wax seal; tide table
    places: in the toll rolls; at the Champagne fairs; on the quay; in the guild hall; along the salt road
    measures: prices of wool; tolls per bridge; the weight of a penny; cargo lists; days at sea
    acts: transcribing ledgers; converting weights; following one merchant; dating a seal; comparing tolls
    troubles: a burned archive; debased coin; plague; a missing folio; an unreadable hand
    facts: The merchants of the Hanse shared courts and not a state; Pepper was counted out by the grain; Letters of credit let money travel without coins; A good ship paid for itself in two voyages or sank; Fairs met by the calendar of saints; Salt preserved the herring that fed half of Europe`,
  ),
  culture(
    'public libraries',
    'cities history policy archives',
    `
    things: reading room; library card; bookmobile; shelf/shelves; catalogue; story hour; branch; lamp; radiator; lost book
    people: librarian; night guard; retired teacher; student; volunteer
    tools: date stamp; card catalogue; book trolley; return slot; sign-up sheet
    places: in the reading room; at the branch by the station; behind the returns desk; on the top shelf; under the skylight
    measures: visits per week; opening hours; loans per title; the queue at nine; seats in winter
    acts: reshelving; reading to children; mending spines; lending seeds; finding the right chair
    troubles: a budget cut; a leaking roof; a lost card; noise; an empty Sunday
    facts: Libraries lend seeds and tools and sewing machines too; Fines keep away the people who need books most; A warm room with chairs is a public service; Some branches open without staff on Sundays; The card catalogue was a technology of the French Revolution; The most borrowed book is seldom the best reviewed`,
  ),
  culture(
    'oral history',
    'history archives memoir stories',
    `
    things: interview; tape; transcript; witness; photograph; kitchen table; microphone; archive box; dialect word; silence
    people: interviewer; former miner; grandmother; transcriber; local historian
    tools: tape recorder; consent form; photo album; list of questions; spare battery
    places: at the kitchen table; in the miners' club; on the second tape; in the archive; on the back porch
    measures: hours of tape; ages at the time; the length of pauses; names per interview; dates that disagree
    acts: listening twice; transcribing pauses; asking for photographs; returning the transcript; leaving a silence alone
    troubles: a running fridge; a dying battery; a polite answer; a lost release form; hearsay
    facts: People remember a smell longer than a date; The best answer comes after the recorder is off; Two witnesses of one strike recall two strikes; A pause belongs in the transcript; Stories change with each telling and keep their centre; An interview belongs to the person who gave it`,
  ),
  culture(
    'child language',
    'linguistics biology teaching health',
    `
    things: first word; diary; rhyme; toddler; mistake; question; picture book; whisper; made-up word; sentence
    people: linguist; father; speech therapist; twin; nursery teacher
    tools: parent diary; voice recorder; picture book; eye tracker; puppet
    places: in the nursery; at the dinner table; on the swing; in the second year; before nap time
    measures: words per day; sentence length; the age of the first question; pauses; new verbs
    acts: keeping a diary; counting questions; reading the same book again; recording breakfast; repeating a rhyme
    troubles: background noise; shyness; a cold; an over-eager parent; a dropped consonant
    facts: Children say goed after they have said went; Babies prefer the melody of the language they heard before birth; Two-year-olds learn several new words a day; A child who learns two languages mixes them with rules; No one is taught that the wug becomes wugs; Questions come in waves and the largest is why`,
  ),
  culture(
    'translation',
    'linguistics poetry writing history',
    `
    things: idiom; dictionary; footnote; draft; pun; proverb; sentence; novel; verb; glossary
    people: translator; editor; poet; bilingual reader; court interpreter
    tools: bilingual dictionary; red pencil; tape of the author's voice; list of names; style sheet
    places: in the margin; between two drafts; at the border; in the third stanza; at the end of the line
    measures: the length of sentences; loan words; footnotes per chapter; hours per page; the rhythm of a line
    acts: reading aloud; keeping a glossary; asking the author; throwing away the first version; counting syllables
    troubles: a pun; a false friend; a formal you; an old spelling; a deadline
    facts: A language decides what must be said and not what can be said; Saint Jerome gave Moses horns through one ambiguous word; A good pun survives as another pun; Some verbs need a whole clause in another language; The translator reads more slowly than anyone else; Poems have been translated by people who did not know the language`,
  ),
  culture(
    'remote work',
    'economics cities writing software',
    `
    things: meeting; kitchen desk; status message; camera; calendar; headset; commute; time zone; handbook; call
    people: manager; colleague; new hire; parent; night owl
    tools: shared document; headset; paper list; door sign; alarm clock
    places: at the kitchen table; in the shed; between two calls; in another time zone; on the train
    measures: hours in meetings; reply times; the length of the day; sick days; coffee breaks
    acts: writing things down; walking before work; closing the laptop; keeping office hours; asking in public
    troubles: a frozen call; loneliness; a barking dog; a meeting without an agenda; an endless thread
    facts: A written decision is found again and a spoken one is not; The shortest commute needs a ritual to replace it; People in one office also write messages to each other; A camera that is off may mean a baby who is on; Time zones reward people who plan; Silence in a chat is not agreement`,
  ),
  culture(
    'city buses',
    'cities policy design travel',
    `
    things: bus stop; timetable; transfer; night bus/night buses; shelter; driver; bus lane; ticket; depot; bench
    people: bus driver; planner; dispatcher; schoolchild; night nurse
    tools: timetable; ticket machine; stop map; radio; stopwatch
    places: at the terminus; on line nine; in the bus lane; under the shelter; at the depot
    measures: waiting times; boardings per stop; average speed; missed transfers; the cost per ride
    acts: riding every line; counting passengers; waiting in the rain; redrawing the map; talking with drivers
    troubles: bunching; a blocked lane; a missed transfer; snow; a broken validator
    facts: A bus every ten minutes needs no timetable; One lane of buses carries more people than five of cars; Late buses attract passengers and become later; A shelter with a seat shortens the wait in the mind; Night buses are full of people who keep the city running; Lines that are easy to draw are easy to remember`,
  ),
  culture(
    'urban gardens',
    'cities ecology cooking health',
    `
    things: tomato/tomatoes; raised bed; compost bin; rain barrel; bean row; trellis; slug; seed packet; allotment; herb
    people: gardener; neighbour; caretaker; school class; seed saver
    tools: watering can; spade; soil test; seed drill; pair of gloves
    places: on the roof; behind the laundry; between the tracks; in the back yard; against the south wall
    measures: litres of rain; the weight of the harvest; soil temperature; slugs per night; sunlight in hours
    acts: sowing after the last frost; turning compost; saving seeds; watering at dusk; swapping seedlings
    troubles: slugs; blight; a dry July; lead in the soil; a locked gate
    facts: A tomato that ripens on a balcony tastes of the balcony; Compost is warm because it is alive; Beans give nitrogen back to the ground; Most vegetables want six hours of sun; Rainwater is kinder to seedlings than tap water; A garden of one square metre can teach patience`,
  ),
  culture(
    'grief',
    'health memoir philosophy essays',
    `
    things: letter; empty chair; coat; photograph; anniversary; casserole; candle; garden; voicemail; song
    people: widow; hospice nurse; brother; chaplain; old friend
    tools: notebook; box of letters; walking stick; calendar; kettle
    places: in the hallway; at the second funeral; on the anniversary; in the garden; on the bench by the river
    measures: the length of a year; hours of sleep; unanswered letters; weeks without music; steps to the bench
    acts: answering letters; cooking for one; walking the old route; keeping the coat; saying the name aloud
    troubles: insomnia; a kind question; paperwork; a birthday; a form with one box
    facts: Grief does not come in the order of a list; The body mourns before the mind has words; People remember who came and forget what was said; The second year can be harder than the first; A ritual gives the hands something to do; Laughter at a funeral is not a betrayal`,
  ),
  culture(
    'human memory',
    'biology health philosophy memoir',
    `
    things: memory/memories; smell; list of words; photograph; hippocampus/hippocampi; false memory/false memories; flashcard; diary; landmark; song
    people: psychologist; witness; patient; taxi driver; memory champion
    tools: flashcard; brain scanner; diary; word list; old photograph
    places: in the hippocampus; on the witness stand; at the end of the list; in the memory palace; before sleep
    measures: recall after a week; confidence; reaction times; the spacing of reviews; details per story
    acts: spacing the reviews; walking through a palace; testing instead of rereading; asking without hints; keeping a diary
    troubles: a leading question; interference; a vivid error; poor sleep; a changed photograph
    facts: Remembering is rebuilding and not replaying; A memory that is recalled can be changed; Tests help learning more than rereading does; Confidence says little about accuracy; Taxi drivers in London have a larger back part of the hippocampus; Smells bring back older memories than words do`,
  ),
];
