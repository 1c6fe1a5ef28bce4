import { codeText } from '../output-text.ts';
import { artefact, decision, nextStep, ran, requirement, type Transcript } from '../transcript.ts';

const task =
  'I want a small service that books rooms in our office. Look at what is in the repository, then let us talk it through before you write anything.';

/** Nearly everything that counts was said by the user, in many messages. */
export const requirements: Transcript = {
  id: 'requirements',
  title: 'a long dialogue of requirements',
  window: 64_000,
  task,
  stretches: [
    [
      {
        words: task,
        work: [
          ran('ls', codeText(31, 40)),
          ran('cat README.md', codeText(32, 240)),
          ran('cat db/schema.sql', codeText(33, 300)),
        ],
        answer: `There is a schema with people and teams, and no code yet. ${codeText(34, 60)}`,
      },
      talk('A booking has at most four hours, and it begins on the quarter hour.', 35),
      talk('Nobody may hold more than three bookings that lie ahead.', 36),
      talk('Rooms are named after rivers. The list is in db/rooms.csv and somebody else maintains it.', 37),
      talk('Cancelling must be possible until 10 minutes before the start; after that only the front desk may.', 38),
      talk('No accounts of our own: everybody comes through the single sign-on, header x-staff-id.', 39),
      talk('Postgres 16, no object mapper. I have been burnt by those.', 40),
      talk('All times are stored in UTC and shown in Europe/Vienna.', 41),
      talk('Forget what I said about three bookings: it is five for people of the team "events".', 42),
      talk('The wall displays read GET /rooms/NAME/next without a login. They poll every 30 seconds, so cache it.', 43),
      talk('We need an export as CSV for the accountants, once a month, with the columns of template-7.', 44),
      talk('It has to run on the old machine in the basement: 512 MB of memory, no containers.', 45),
      {
        words: 'I think that is all. Which schema would you choose for the overlaps?',
        answer:
          'An exclusion constraint on (room, tstzrange) decides overlaps in the database, so no lock is needed in the service. Next I would write db/migrations/001_bookings.sql with that constraint.',
      },
    ],
  ],
  probes: [
    requirement('at most four hours, and it begins on the quarter hour'),
    requirement('Nobody may hold more than three bookings'),
    requirement('until 10 minutes before the start'),
    requirement('header x-staff-id'),
    requirement('Postgres 16, no object mapper'),
    requirement('stored in UTC and shown in Europe/Vienna'),
    requirement('five for people of the team "events"'),
    requirement('the columns of template-7'),
    requirement('512 MB of memory, no containers'),
    artefact('db/rooms.csv'),
    artefact('GET /rooms/NAME/next'),
    decision('exclusion constraint tstzrange overlaps'),
    nextStep('db/migrations/001_bookings.sql'),
  ],
};

function talk(words: string, seed: number) {
  return { words, answer: `Noted. This is what it means for the rest:\n${codeText(seed, 90)}` };
}
