import { science, type Topic } from './topic.js';

export const SCIENCE: readonly Topic[] = [
  science(
    'gut bacteria',
    'biology medicine health chemistry',
    `
    things: culture plate; probiotic; bacterium/bacteria; stool sample; gene; enzyme; vegetable; sugar; freezer box; microbe
    people: microbiologist; dietitian; volunteer; nurse; bioinformatician
    tools: anaerobic chamber; sequencer; food diary; freezer; pipette
    places: in the large intestine; at the cold bench; in the control group; along the gut wall; on the second plate
    measures: species diversity; butyrate; fibre intake; transit time; antibiotic use
    acts: keeping a food diary; thawing samples on ice; fermenting cabbage; culturing without oxygen; asking about antibiotics
    troubles: batch effects; contamination; a broken freezer; self-reported diet; a missed appointment
    facts: Human and microbial cells in a body are about equal in number; Bacteria turn fibre into acids that feed the gut; A course of antibiotics can change the community for months; Babies receive their first microbes at birth; Most gut bacteria die within minutes in air; Identical twins have different microbes`,
  ),
  science(
    'quantum optics',
    'physics methods mathematics teaching',
    `
    things: photon; beam splitter; mirror; laser; cavity/cavities; detector; crystal; lens; fibre; trapped ion
    people: experimentalist; theorist; doctoral student; workshop machinist; visiting professor
    tools: photon counter; vacuum chamber; lock-in amplifier; optical table; piezo mount
    places: in the cavity; at the dark port; on the optical table; behind the second beam splitter; in the basement lab
    measures: the visibility of the fringes; coincidence counts; squeezing in decibels; dark counts; the line width
    acts: aligning mirrors; waiting for the laser to settle; counting coincidences; cooling the ion; writing the lab book
    troubles: vibration from the tram; stray light; a drifting laser; afterpulsing; dust on a mirror
    facts: A single photon can interfere with itself; Squeezed light has less noise in one property and more in another; Gravitational wave detectors use squeezed light; Two photons made together stay correlated over many kilometres; A click of the detector cannot be undone; Most of the work on an optical table is alignment`,
  ),
  science(
    'tidal energy',
    'oceans physics policy climate',
    `
    things: turbine; sluice gate; barrage; blade; cable; lagoon; mooring; seal; tide table; buoy
    people: marine engineer; harbor master; fisher; grid operator; seal watcher
    tools: current profiler; tide gauge; survey boat; strain gauge; hydrophone
    places: in the narrows; below the lighthouse; at the barrage; along the cable route; at slack water
    measures: current speed; blade strain; the spring range; hours of slack water; the price per kilowatt hour
    acts: lowering the profiler; inspecting moorings; predicting slack water; listening for porpoises; greasing bearings
    troubles: biofouling; a torn cable; sand in the bearings; a neap tide; a delayed permit
    facts: The tide can be predicted for centuries and the wind cannot; A current twice as fast has eight times the power; The barrage on the Rance has run since 1966; Slack water comes four times a day; Blades turn slowly enough for seals to avoid them; Salt water finds every joint that is not sealed`,
  ),
  science(
    'protein folding',
    'biology chemistry software physics',
    `
    things: helix/helices; amino acid; chaperone; energy landscape; crystal; mutation; binding site; structure; simulation; loop
    people: biophysicist; crystallographer; structural biologist; modeller; lab technician
    tools: force field; cryo-electron microscope; optical tweezer; neural network; centrifuge
    places: in the hydrophobic core; at the active site; on the cluster; along the backbone; in the cold room
    measures: folding rates; contact order; the melting temperature; root-mean-square deviation; confidence per residue
    acts: growing crystals; aligning sequences; pulling one molecule apart; restarting the simulation; reading an electron density map
    troubles: aggregation; a disordered loop; a crashed node; radiation damage; a swapped label
    facts: A protein is a chain that finds its shape in milliseconds; Trying every shape of a chain would take longer than the age of the universe; Chaperones are proteins that help other proteins to fold; An egg white turns solid because its proteins unfold; One wrong amino acid can cause a disease; Some proteins work because they never fold`,
  ),
  science(
    'dark matter',
    'astronomy physics data mathematics',
    `
    things: galaxy/galaxies; halo; rotation curve; telescope; detector; simulation; lens; cluster; xenon tank; survey
    people: astronomer; cosmologist; night assistant; detector physicist; amateur observer
    tools: spectrograph; xenon detector; supercomputer; photographic plate; star catalogue
    places: in the outer halo; at the edge of the disc; under the mountain; on the photographic plate; in the Bullet Cluster
    measures: orbital speed; weak lensing; the background rate; the mass of the halo; redshift
    acts: measuring rotation curves; calibrating the detector; blinding the analysis; stacking galaxies; waiting for one event
    troubles: radon; a cloudy run; a loud foreground; an unlucky cut; a warm sensor
    facts: Stars at the edge of a galaxy move faster than visible matter allows; About five sixths of all matter has never been seen; Vera Rubin measured the rotation of dozens of galaxies and found the same flat curve; Gravity bends light around mass that does not shine; Detectors lie deep under rock to escape cosmic rays; No direct signal has convinced everyone yet`,
  ),
  science(
    'graph theory',
    'mathematics networks software teaching',
    `
    things: vertex/vertices; edge; cycle; tree; colouring; planar map; matching; bridge; path; proof
    people: combinatorialist; puzzle maker; student; map colourer; referee
    tools: adjacency matrix; whiteboard; computer search; probabilistic argument; box of pins
    places: on the torus; in the complement; at the cut vertex; along the longest path; in the second lemma
    measures: the chromatic number; the girth; average degree; the spectral gap; the number of spanning trees
    acts: drawing small cases; colouring maps; counting paths twice; removing one edge; looking for a counterexample
    troubles: an isolated vertex; a gap in the induction; a crossing; a wrong base case; an exponential search
    facts: Euler showed that nobody can cross the seven bridges of Königsberg exactly once each; Four colours suffice for every map in the plane; In any group of six people there are three friends or three strangers; A tree with n vertices has n minus one edges; Nobody knows a fast test for a cycle through every vertex; The sum of all degrees is twice the number of edges`,
  ),
  science(
    'number theory',
    'mathematics history teaching philosophy',
    `
    things: prime; divisor; modular form; partition; congruence; sieve; lemma; perfect number; elliptic curve; residue
    people: number theorist; amateur; schoolteacher; cryptographer; referee
    tools: sieve; computer algebra system; table of primes; sheet of squared paper; generating function
    places: in the critical strip; on the number line; at the prime two; in the first margin; along the diagonal
    measures: the gaps between primes; digit sums; the rank of a curve; sums of two squares; the error term
    acts: sieving by hand; factoring large numbers; testing small cases; reading Gauss slowly; checking the proof at night
    troubles: an off-by-one; the even prime; an unproved conjecture; a divergent sum; a forgotten case
    facts: There is no largest prime; Every even number ever tried is the sum of two primes; Fermat's last theorem waited more than three centuries for its proof; The number 1729 is the smallest sum of two cubes in two ways; Primes thin out slowly but never end; The digits of one third never stop`,
  ),
  science(
    'solar cells',
    'physics chemistry climate design',
    `
    things: panel; wafer; perovskite film; inverter; battery; roof; busbar; spin coater; shingle; meter
    people: materials scientist; roofer; electrician; village council; grid planner
    tools: sun simulator; multimeter; spin coater; infrared camera; torque wrench
    places: on the school roof; in the glove box; along the south wall; at the test field; behind the inverter
    measures: efficiency; the fill factor; degradation per year; watt hours a day; the cost of a roof
    acts: coating films; measuring at noon; cleaning panels; counting sunny hours; labelling every cell
    troubles: moisture; shade from a chimney; a cracked wafer; lead; a tripped breaker
    facts: A panel makes a little less power when it is hot; The price of a panel fell by nine tenths in ten years; One shaded cell can slow a whole string; Silicon panels still give most of their power after thirty years; Snow reflects light onto steep panels; A cell with two layers uses more colours of the light`,
  ),
  science(
    'epidemiology',
    'medicine statistics health policy',
    `
    things: cohort; control; outbreak; pump; death register; exposure; risk ratio; questionnaire; clinic; map
    people: epidemiologist; public health nurse; statistician; parish clerk; field interviewer
    tools: line list; spot map; household survey; survival curve; telephone
    places: in the second cohort; at the harbor clinic; around the pump; in the follow-up; on Broad Street
    measures: the attack rate; incubation times; relative risk; loss to follow-up; excess deaths
    acts: drawing the curve; calling every household; matching controls; cleaning dates of birth; asking what people ate
    troubles: confounding; recall bias; a missing denominator; a small cluster; a changed definition
    facts: John Snow mapped cholera deaths around one water pump in 1854; A rate without a denominator is only a number; Two things that rise together need not cause each other; A rare disease makes even a good test raise many false alarms; Smokers were compared with doctors for fifty years to settle the question; The first case found is seldom the first case`,
  ),
  science(
    'vaccine trust',
    'health policy medicine data',
    `
    things: leaflet; clinic; booster; vial; rumor; waiting room; reminder; home visit; consent form; question
    people: nurse; midwife; health worker; parent; community leader
    tools: reminder card; cold box; translated leaflet; telephone tree; town meeting
    places: in the waiting room; at the market; after the evening prayer; in the school hall; at the kitchen table
    measures: coverage by district; no-show rates; stated reasons; travel time to the clinic; second doses
    acts: listening before explaining; translating the leaflet; visiting at home; opening on Saturday; answering every question
    troubles: a long queue; a rumor; a lost record; a hurried doctor; a broken cold box
    facts: Smallpox is the only human disease that has been ended everywhere; Most parents who wait have questions and are not opposed; A reminder by post raises attendance; People trust the nurse they know more than a ministry; Measles needs about nineteen in twenty people to be immune; A vaccine that stays in the fridge protects no one`,
  ),
];
