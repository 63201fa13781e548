// Asks the search worker of a built site, as its pages do, and prints for each question the pages in their order.
// Arguments: the folder of the site, and the questions as JSON.

const fs = require("fs");
const vm = require("vm");

const SETUP = 0, QUERY = 2;
const [site, questions] = process.argv.slice(2);
const workers = `${site}/assets/javascripts/workers`;
const [script] = fs.readdirSync(workers).filter((name) => /^search\..*\.js$/.test(name));

const listeners = [];
let answered;
const warnings = [];
const worker = {
  addEventListener: (_, listener) => listeners.push(listener),
  console: {...console, warn: (...words) => warnings.push(words.join(" "))},
  postMessage: (message) => answered(message.data),
};
worker.self = worker;
vm.runInNewContext(fs.readFileSync(`${workers}/${script}`, "utf8"), worker);

function ask(data) {
  return new Promise((resolve) => {
    answered = resolve;
    const event = {data};
    for (const listener of listeners) listener(event);
  });
}

(async () => {
  const index = JSON.parse(fs.readFileSync(`${site}/search/search_index.json`, "utf8"));
  await ask({type: SETUP, data: {...index, options: {suggest: true}}});
  const pages = [];
  for (const question of JSON.parse(questions)) {
    const {items} = await ask({type: QUERY, data: question});
    pages.push(items.map(([first]) => first.location.split("#")[0]));
  }
  console.log(JSON.stringify({pages, warnings}));
})();
