"""What people type, sorted by whether it should be remembered; every sentence was written for these tests.

`KEPT` and `LET_GO` were used to build the rules. `KEPT_UNSEEN` and `LET_GO_UNSEEN` were written before, and not looked
at while the rules were made: they show how far the rules carry.
"""

from __future__ import annotations

KEPT: dict[str, tuple[str, ...]] = {
    "standing rules": (
        "Always run the tide tests before touching the fog horn schedule.",
        "never commit directly to main, open a branch first",
        "from now on write commit messages in the imperative",
        "please don't ever push to the release branch without asking me",
        "Make sure that you always run the formatter before you commit.",
        "Don't use default exports anywhere in this codebase.",
        "Every migration must have a down step.",
        "All new endpoints need an integration test.",
        "Whenever you touch the parser, rerun the fuzz corpus.",
        "Stop adding comments that only repeat the code.",
        "No emojis in commit messages, ever.",
        "you must not edit files under generated/, they are overwritten by the build",
    ),
    "preferences": (
        "I prefer tables over long paragraphs.",
        "I like short answers without bullet points.",
        "I'd rather have one big pull request than five small ones",
        "I hate it when tests sleep.",
        "my preferred editor is Helix",
    ),
    "environment": (
        "The lamp controller listens on port 7400.",
        "staging runs on host quay-2.internal",
        "The nightly backup is written to /srv/backup/lamps.",
        "we're on Node 20 and PostgreSQL 16",
        "Marisol owns the billing service, ask her before schema changes",
        "The release freeze starts on 2026-12-12.",
        "our tests live in spec/, not in tests/",
        "The deploy key is stored in the vault under ops/deploy.",
        "CI uses the self-hosted runner called dock-7.",
        "The customer is based in Lisbon, so their working day ends at 17:00 UTC.",
    ),
    "decisions": (
        "We decided to store sessions in Redis because the file store loses them on restart.",
        "let's stick with SQLite, we don't need a server",
        "We're moving from Jenkins to Buildkite.",
        "Let's go with cursor pagination for every list endpoint.",
        "We will not support Windows 10 any longer.",
    ),
    "corrections": (
        "no, we use pnpm, not npm",
        "No, the export job runs on quay-2, not on quay-1.",
        "that's wrong, the timeout is 30 seconds by design",
        "why do you keep using npm?",
        "Why are you still adding docstrings to the tests?",
        "How often do I have to tell you not to touch the lock file?",
        "you keep using moment.js, we replaced it with Temporal",
        "I told you to ask before deleting branches",
        "Stats should carry the ID, not the name.",
    ),
    "de": (
        "Bitte immer zuerst die Tests laufen lassen.",
        "Niemals direkt auf main pushen.",
        "Ab sofort schreiben wir Commit-Nachrichten auf Englisch.",
        "Wir benutzen pnpm, nicht npm.",
        "Warum benutzt du immer noch npm?",
        "Der Lampendienst läuft auf Port 7400.",
        "Ich möchte keine Emojis in Commit-Nachrichten.",
        "Achte darauf, dass jede Migration einen Rückweg hat.",
    ),
    "es": (
        "Siempre ejecuta las pruebas antes de hacer commit.",
        "Nunca subas nada directamente a main.",
        "Usamos pnpm, no npm.",
        "¿Por qué sigues usando npm?",
        "El servicio de lámparas escucha en el puerto 7400.",
        "A partir de ahora los mensajes de commit van en inglés.",
        "Asegúrate de que cada migración tenga vuelta atrás.",
    ),
    "fr": (
        "Lance toujours les tests avant de committer.",
        "Ne pousse jamais directement sur main.",
        "On utilise pnpm, pas npm.",
        "Pourquoi tu utilises encore npm ?",
        "Le service des lampes écoute sur le port 7400.",
        "Désormais les messages de commit sont en anglais.",
        "Assure-toi que chaque migration a un retour arrière.",
    ),
    "pt": (
        "Sempre execute os testes antes do commit.",
        "Nunca envie nada direto para a main.",
        "Usamos pnpm, não npm.",
        "Por que você continua usando npm?",
        "O serviço de lâmpadas escuta na porta 7400.",
        "A partir de agora as mensagens de commit são em inglês.",
    ),
    "zh": (
        "提交之前必须运行测试。",
        "永远不要直接推送到 main。",
        "我们用 pnpm，不用 npm。",
        "为什么你总是用 npm？",
        "灯控服务监听 7400 端口。",
        "从现在起提交信息一律用英文。",
    ),
    "ja": (
        "コミットの前に必ずテストを実行してください。",
        "mainに直接プッシュしないでください。",
        "npmではなくpnpmを使います。",
        "なぜまだnpmを使っているのですか？",
        "ランプサービスはポート7400で動いています。",
        "今後コミットメッセージは英語で書いてください。",
    ),
    "ko": (
        "커밋하기 전에 항상 테스트를 실행하세요.",
        "절대 main에 직접 푸시하지 마세요.",
        "우리는 npm이 아니라 pnpm을 사용합니다.",
        "왜 자꾸 npm을 사용하나요?",
        "램프 서비스는 7400 포트에서 실행됩니다.",
        "앞으로 커밋 메시지는 영어로 작성하세요.",
    ),
    "second round": (
        "Add a retry to the uploader. We never retry more than three times because the partner bans us.",
        "The dashboard is at https://grafana.harbour.example/d/12, use that one to check latency",
        "ok let's do option 2. And for the future: always ask before adding a dependency.",
        "I'm Jonas, I work on the payments team and prefer TypeScript",
        "My timezone is Lisbon.",
        "You can find the API docs under docs/api, they're generated nightly.",
        "tests are slow because the database is recreated each time, that's intentional",
        "this repo uses conventional commits",
        "branch names are feature/TICKET-name",
        "don't touch the vendor folder, it is generated",
        "please use British English in docs",
        "before you open a PR run make check",
        "if a migration fails, call Mira first",
        "production deploys only happen on Tuesdays",
        "we have a freeze until 2027-01-05",
        "users can't be deleted for legal reasons, only anonymised",
        "don't use any, use unknown",
        "Prefer named exports.",
        "I'm on macOS with zsh",
        "the VPN must be on to reach staging",
        "Money is stored in cents, never as a float.",
        "our linter is ruff, not flake8",
        "Use `uv run pytest` to run the tests, plain pytest does not find the packages.",
        "The secrets are in 1Password, in the vault called Harbour",
        "we support Python 3.10 and up",
        "I don't want you to commit without asking",
        "ask me before you install anything",
        "no comments in German please, the code is read in four countries",
        "When you write tests, use the factories in tests/factories, not fixtures.",
        "logging goes through structlog, print is forbidden",
        "Carla decides about the wording of mails to customers.",
        "our main branch is called trunk",
        "the staging password rotates every monday",
        "I'm colour blind, so don't rely on red and green",
        "keep answers under ten lines",
        "Explain your plan before you change more than three files.",
        "Commit messages follow the pattern area: summary",
        "the legacy service can't be changed until the contract with the vendor ends in June",
        "Bitte antworte mir auf Deutsch.",
        "Die Tests laufen nur mit Docker.",
        "Für Migrationen ist Mira zuständig.",
        "Responde siempre en español.",
        "Los commits van en inglés, no en español.",
        "Réponds-moi toujours en français.",
        "Les secrets sont dans Vault, jamais dans le dépôt.",
        "Responda sempre em português.",
        "请始终用中文回答。",
        "测试只能在 Docker 里运行。",
        "返信は必ず日本語でお願いします。",
        "答えは短くしてください、長い説明は不要です。",
        "답변은 항상 한국어로 해 주세요.",
        "main 브랜치에 직접 커밋하지 마세요.",
    ),
    "third round": (
        "Our release branch is named release/2026.1 and only Tom merges into it.",
        "Don't ever mock the clock, pass it in.",
        "I want all dates in the UI in local time, never in UTC.",
        "Nobody touches the billing tables by hand.",
        "The tests must not hit the network.",
        "Let's agree that feature flags are removed after two releases.",
        "We went with Vue because the designers know it.",
        "The old importer is gone, use the streaming one.",
        "Elena from legal has to approve every change to the terms page.",
        "Never, under any circumstances, log a password.",
        "our CI minutes are limited, so don't trigger full builds for docs changes",
        "the customer calls it a basket, we call it a cart in the code",
        "\"slot\" means a berth at the pier, not a time",
        "the pilot database is read only",
        "we deploy with Ansible from the repo infra-tools",
        "Node 18 is end of life, we moved to 22",
        "I'm not a native speaker, please use simple words",
        "don't suggest paid services",
        "use the metric system everywhere",
        "the invoice numbers must be gapless because of tax law",
        "the nightly job runs at 02:30 and takes about an hour",
        "our design system is called Pebble, its docs are at pebble.harbour.example",
        "Each package has its own changelog.",
        "never use sed on the translations, they contain tabs",
        "whenever the schema changes, bump the version in schema.json",
        "if you need credentials, ask Karim",
        "you should always run the linter before the tests",
        "actually the limit is 500 requests per minute, not per hour",
        "no, Lena left, Omar is the owner now",
        "we stopped using Slack, announcements go to Matrix",
        "Erkläre mir Änderungen bitte immer auf Deutsch.",
        "Der Vertrag mit dem Kurier endet am 31.03.2027.",
        "Wir committen nie direkt auf trunk.",
        "Las fechas siempre en formato ISO.",
        "El despliegue se hace solo los martes.",
        "No modifiques los archivos generados.",
        "Les dates sont toujours au format ISO.",
        "N'utilise jamais var.",
        "As datas sempre em formato ISO.",
        "Não altere os arquivos gerados.",
        "日期一律使用 ISO 格式。",
        "不要在测试里使用 mock。",
        "日付は常にISO形式でお願いします。",
        "自動生成されたファイルは編集しないでください。",
        "날짜는 항상 ISO 형식으로 써 주세요.",
        "테스트에서 mock을 사용하지 마세요.",
    ),
}

LET_GO: dict[str, tuple[str, ...]] = {
    "questions": (
        "What should happen when the lamp loads without a schedule?",
        "should we always validate the tide table first",
        "is there a way to never hit the cache here",
        "why does the build always fail on the second run",
        "how do we usually deploy the kiosk",
        "do we need to support Python 3.9",
        "what port does the lamp controller listen on",
        "any idea why the deploy always hangs",
        "I wonder whether we should never cache the tide table.",
        "not sure if the scheduler must run as root",
        "which database should we use for the sessions",
        "Can the feed use the same token as the webcam?",
    ),
    "musings": (
        "I think we should use a kind of teal for the header.",
        "maybe we could move the alarms to their own service",
        "If we use one key per guest, this could be a way to share the log without a server.",
        "It would be nice to have a dark theme at some point.",
        "I was thinking that the harbour view might need a legend.",
        "what if the horn is only tested on Mondays",
        "we could also drop the cache, perhaps",
        "I wanted to talk for a few minutes about the trade-off between one big table and many small ones.",
        "I guess the schedule should live in the database.",
        "Thinking out loud: the feed could be a separate process.",
        "one idea is to keep the tide table in memory",
    ),
    "tasks": (
        "We need to come up with a plan to test the ferry bookings end to end.",
        "We want to use the pattern from the other repository to update the workflow here.",
        "Let's add a blank line before and after the table.",
        "add a column for the price and make sure the tests pass",
        "Please make sure the docs are consistent.",
        "fix the login page, it must not show the spinner",
        "we should rename the helper to something better",
        "I need you to write a summary of the report that is readable for managers.",
        "Rather than a new module let's put the table code in list.py.",
        "then make sure this is in the changelog",
        "I want you to only look at the parser for now",
        "let's have the button on the left",
        "now implement the second option and use the existing client",
        "remove the Generate button in the harbour view, it is not needed",
        "we have to get this release out today",
        "the header should be a bit bigger",
        "can you check that the webhook is only called once",
    ),
    "fragments": (
        "and then the same for the other three",
        "NOTE: harbour vs. Harbour in the path (and maybe Quay vs. quay).",
        "for starters, this should be quieter",
        "only the second one, not the first",
        "in the morning, never mind",
        "better that way, rather than the other",
    ),
    "without antecedent": (
        "do it like that from now on",
        "this one should always be first",
        "it must not be like this",
        "they should never do that",
        "That's the only one we want to keep.",
        "please use this instead of that",
        "No, not like this, like before.",
    ),
    "narration": (
        "I ran the tests again and two of them always fail.",
        "it still doesn't work, the page is never loaded",
        "the build failed with exit code 1",
        "I see the error every time I click on save",
        "ok that worked, thanks",
        "I just pushed the branch, CI is running",
        "the guest list is already there, and I should be able to open it, but it is not clickable",
        "I don't see our fonts showing up at all when I start the kiosk",
        "we have the same block of hints two times please keep just one",
        "`height` is no longer right, I would think",
    ),
    "de": (
        "Sollten wir immer zuerst die Tabelle prüfen",
        "Vielleicht könnten wir die Alarme auslagern.",
        "Kannst du bitte die Überschrift ändern, sie muss größer sein",
        "Wie deployen wir normalerweise den Kiosk",
        "Ich glaube, wir sollten den Cache weglassen.",
        "mach das bitte genauso",
    ),
    "es": (
        "¿Deberíamos validar siempre la tabla?",
        "quizás podríamos mover las alarmas a otro servicio",
        "añade una columna para el precio",
        "cómo desplegamos normalmente el quiosco",
        "creo que deberíamos usar un verde más claro",
    ),
    "fr": (
        "est-ce qu'on doit toujours valider la table",
        "peut-être qu'on pourrait déplacer les alarmes",
        "ajoute une colonne pour le prix",
        "je pense qu'on devrait utiliser un vert plus clair",
        "comment on déploie normalement le kiosque",
    ),
    "pt": (
        "será que devemos sempre validar a tabela",
        "talvez pudéssemos mover os alarmes",
        "adicione uma coluna para o preço",
        "acho que deveríamos usar um verde mais claro",
    ),
    "zh": (
        "我们是不是应该总是先检查表格",
        "也许可以把警报移到另一个服务",
        "帮我添加一列价格",
        "为什么构建总是失败",
        "我觉得应该用浅一点的绿色",
    ),
    "ja": (
        "常に先にテーブルを確認すべきですか",
        "アラームを別のサービスに移してもいいかもしれません",
        "価格の列を追加してください",
        "なぜビルドがいつも失敗するのですか",
    ),
    "ko": (
        "항상 먼저 표를 확인해야 하나요",
        "알람을 다른 서비스로 옮기는 게 좋을 것 같아요",
        "가격 열을 추가해 주세요",
        "왜 빌드가 항상 실패하나요",
    ),
    "second round": (
        "the tests are failing on CI but pass locally",
        "I need this done by tomorrow",
        "make the sidebar collapsible, and the default should be open",
        "there's a bug in the parser: it never closes the file",
        "can we always show it?",
        "I always get a 500 when I click save",
        "the page always crashes on load",
        "it's never worked",
        "I usually start with the tests but today go with the UI",
        "Every time I refresh, I get logged out.",
        "that's exactly how it should always be :)",
        "wait, why did you delete that file, I need it",
        "No, I meant the other table",
        "the second test is flaky, rerun it",
        "show me all files that never import the logger",
        "what's the best way to always keep the header visible",
        "This looks good, but the spacing is off by a few pixels",
        "the image is not loading, is the path right?",
        "go ahead and merge it, we don't need the review",
        "stop the server",
        "Stop, that's wrong",
        "don't do that",
        "no need to run the tests now",
        "i think it's fine now",
        "Write a function that never returns null",
        "Create a class that must be immutable and add tests for it",
        "update the docs so they say that users must confirm their mail",
        "rename the column, it should be called price_cents",
        "I changed the port to 8081, restart the server",
        "it says port 8080 is already in use",
        "here is the output: connection refused on port 5432",
        "The build takes 20 minutes now, that is too slow, can you find out why",
        "we need to support dark mode in the settings page",
        "let me know when you are done",
        "I will be back in 10 minutes",
        "use the new endpoint in the form and remove the old one",
        "please check if every user has a mail",
        "there are too many logs, remove some of them",
        "looks like the job is stuck in the queue",
        "we are using the wrong key here",
        "the table should have five columns and the last one is the total",
        "und jetzt das gleiche für die Bestellseite",
        "der Test schlägt immer noch fehl",
        "kannst du das immer oben anzeigen?",
        "ahora haz lo mismo con la otra página",
        "el test sigue fallando",
        "maintenant fais pareil pour l'autre page",
        "le test échoue toujours",
        "agora faça o mesmo na outra página",
        "o teste continua falhando",
        "现在对订单页面做同样的事",
        "测试还是失败",
        "テストがまだ失敗します",
        "次は注文ページも同じようにしてください",
        "테스트가 계속 실패합니다",
        "이제 주문 페이지도 똑같이 해 주세요",
    ),
    "third round": (
        "ok so the plan is to first fix the parser, then the writer",
        "I'd like you to rewrite the importer so that it streams",
        "hmm, not quite, the margin should be smaller",
        "the arrow should point to the left",
        "can this be done without a migration?",
        "what do you mean by slot",
        "isn't the pilot database read only",
        "shouldn't every package have its own changelog",
        "the list needs to be sorted and the header should stay visible",
        "please finish the form and make sure nothing else breaks",
        "does it matter that the job always runs at night",
        "this is the log: ERROR connection to db-3:5432 refused",
        "after the last change the tests in ci are red",
        "we want the new page to be live next week",
        "undo the last change",
        "that works, but make the title bold",
        "wow, that's really fast",
        "now add a test for the case where the list is empty",
        "the same error appears when I click cancel",
        "no that's not it",
        "Yes, the second one please",
        "I don't like this layout",
        "let's try something else",
        "why don't we simply cache it",
        "it should be faster",
        "I don't understand why it is always called twice",
        "remove all console.logs",
        "are there any places where we never close the handle",
        "do we still use Slack?",
        "the app crashes when the list is empty",
        "it would be great if every page had a title",
        "so basically it needs to loop over all guests",
        "you forgot the tests",
        "that is not what I asked for",
        "you are right, my mistake",
        "please continue with the next step",
        "I am going to lunch, keep going",
        "here are three ideas, pick one",
        "this needs to be done before the demo",
        "we only need the first three columns for now",
        "make it so that the button is always visible",
        "ensure the modal closes when clicking outside",
        "Das müssen wir noch testen",
        "schau mal ob der Server läuft",
        "¿puedes revisar por qué falla siempre?",
        "mueve el botón a la izquierda",
        "vérifie que le serveur tourne",
        "déplace le bouton à gauche",
        "verifique se o servidor está rodando",
        "检查服务器是否在运行",
        "把按钮移到左边",
        "サーバーが動いているか確認してください",
        "ボタンを左に移動して",
        "서버가 실행 중인지 확인해 주세요",
        "버튼을 왼쪽으로 옮겨 주세요",
    ),
}

PASTED: dict[str, str] = {
    "log": (
        "it fails:\n"
        "\n"
        "2026-03-04 10:11:12 ERROR worker must not run as root\n"
        "2026-03-04 10:11:13 INFO always retrying in 5s\n"
        "2026-03-04 10:11:18 WARN lamp 7 never answered\n"
    ),
    "trace": (
        "Traceback (most recent call last):\n"
        "  File \"/srv/lamps/run.py\", line 12, in <module>\n"
        "    start()\n"
        "  File \"/srv/lamps/core.py\", line 40, in start\n"
        "    raise ValueError(\"port must always be set\")\n"
        "ValueError: port must always be set\n"
    ),
    "node trace": (
        "TypeError: schedule must never be null\n"
        "    at Lamp.load (/srv/lamps/lamp.js:12:9)\n"
        "    at Object.<anonymous> (/srv/lamps/index.js:3:1)\n"
        "    at Module._compile (node:internal/modules/cjs/loader:1105:14)\n"
    ),
    "diff": (
        "diff --git a/lamp.py b/lamp.py\n"
        "--- a/lamp.py\n"
        "+++ b/lamp.py\n"
        "@@ -1,3 +1,3 @@\n"
        "-# always use port 7400\n"
        "+# never use port 7400\n"
        " import os\n"
    ),
    "mail": (
        "From: Petra Quay <petra@harbour.example>\n"
        "To: lamps@harbour.example\n"
        "Subject: opening hours\n"
        "\n"
        "Hi all,\n"
        "\n"
        "please remember that the office must always be locked at night, and never leave the window open.\n"
        "\n"
        "Best regards,\n"
        "Petra\n"
    ),
    "settings": (
        "with:\n"
        "  repository: harbour/tap\n"
        "  path: tap\n"
        "  ssh-strict: true\n"
        "  persist-credentials: true\n"
        "  clean: true\n"
        "  fetch-depth: 1\n"
    ),
    "bare headings": (
        "Findings\n"
        "The first test always leaves the extension installed because Windows holds the file open.\n"
        "\n"
        "Later tests never see a clean profile.\n"
        "\n"
        "Expected behaviour\n"
        "Replacing an extension should tolerate locked files without sleeping.\n"
        "\n"
        "Tests that change settings must use isolated state.\n"
    ),
    "quoted": (
        "> You must always use tabs.\n"
        "> Never use spaces.\n"
    ),
    "code": (
        "```python\n"
        "# always close the file\n"
        "def close(handle):\n"
        "    \"\"\"Never call twice.\"\"\"\n"
        "    handle.close()\n"
        "```"
    ),
    "bare code": (
        "const lamp = require('lamp');\n"
        "if (lamp.port !== 7400) {\n"
        "  throw new Error('must always be 7400');\n"
        "}\n"
        "module.exports = lamp;\n"
    ),
    "review": (
        "Consider using a lock here, as the map should never be shared between threads.\n"
        "\n"
        "Nit: the name must be lower case.\n"
    ),
    "plan": (
        "# Plan\n"
        "\n"
        "## Goal\n"
        "The service must never stop.\n"
        "\n"
        "## Steps\n"
        "1. Always start with the parser\n"
        "2. Never skip the tests\n"
        "3. Add a cache\n"
        "4. Remove the old client\n"
        "5. Write the docs\n"
        "6. Measure\n"
        "\n"
        "## Risks\n"
        "The port must not change.\n"
    ),
}

KEPT_UNSEEN: dict[str, tuple[str, ...]] = {
    "en": (
        "Always squash before merging.",
        "please never reformat files you did not touch",
        "make sure you don't log customer names anywhere",
        "going forward all dates go in ISO format",
        "You should never call the payment API from a test.",
        "don't ever delete rows from the ledger table, mark them as void",
        "only senior staff may approve refunds over 500 euros",
        "I don't like nested ternaries.",
        "I prefer composition over inheritance in this project",
        "Our API gateway runs behind nginx on port 8443.",
        "The integration tests need Docker 24 or newer.",
        "Ines is responsible for the mobile app.",
        "the production database is called orchard_prod and lives on db-3",
        "the contract with the courier ends on 2027-03-31",
        "Logs are kept for 90 days because the auditors ask for them.",
        "we chose Kafka over RabbitMQ because we need replay",
        "We dropped the GraphQL layer, everything is REST now.",
        "no, that's not how we name branches, it's feature/<ticket>",
        "wrong: the currency is always stored in cents",
        "why are you always writing inline styles?",
        "How many times do I have to say that the schema is read-only?",
        "didn't I tell you to use the shared logger?",
        "we don't use ORMs here, write plain SQL",
        "use snake_case for column names, never camelCase",
        "the mobile team reviews every change to the sync protocol",
        "Remember that invoices are numbered per country.",
        "keep in mind that the warehouse closes at 16:00 on Fridays",
        "Our coding style: four spaces, no tabs.",
    ),
    "other": (
        "Verwende grundsätzlich UTC für alle Zeitstempel.",
        "Bitte keine Kommentare auf Deutsch im Code.",
        "Die Datenbank liegt auf dem Server birne-3.",
        "Wir haben uns für Kafka entschieden, weil wir Wiederholungen brauchen.",
        "Prefiero que los tests no usen mocks.",
        "La base de datos de producción está en el servidor pera-3.",
        "No uses nunca var en este proyecto.",
        "Je préfère des commits petits et fréquents.",
        "Il ne faut jamais modifier les fichiers générés.",
        "La base de production tourne sur le serveur poire-3.",
        "Prefiro funções pequenas.",
        "Não use mocks nos testes.",
        "所有时间戳都必须使用 UTC。",
        "我更喜欢简短的回答。",
        "不要修改自动生成的文件。",
        "タイムスタンプは常にUTCを使ってください。",
        "短い回答の方が好きです。",
        "모든 타임스탬프는 반드시 UTC를 사용하세요.",
        "짧은 답변을 선호합니다.",
        "자동 생성된 파일은 수정하지 마세요.",
    ),
}

LET_GO_UNSEEN: dict[str, tuple[str, ...]] = {
    "en": (
        "who owns the invoice service these days",
        "does the courier always send a receipt",
        "could it be that the parser never sees the header",
        "so what must I set to get the preview running",
        "Where do we keep the secrets for staging?",
        "I'm wondering if we should drop the cart table.",
        "would it make sense to always preload the catalogue",
        "we might want to use a queue for this",
        "perhaps the badge should be orange, not red",
        "it could be interesting to only load the first page",
        "I had an idea: the cart could live in the browser",
        "I feel like the sidebar needs more air.",
        "We should probably write a migration for that.",
        "let's write the release notes next",
        "need to update the readme so it mentions the new flag",
        "please make the button green",
        "I want to see the list sorted by date",
        "go through the open issues and close those that are not needed",
        "we need a script that converts the old orders",
        "Change the title so that it has the product name in it.",
        "ok now do the same for the order page",
        "use the second approach",
        "that should be enough for today",
        "those are not the right ones",
        "same here, it should be hidden",
        "I have no idea why it never returns",
        "I tried it twice and the page is always blank",
        "tests pass now, commit it",
        "great, that's exactly what I wanted",
        "the second screenshot shows the page that must be fixed",
    ),
    "other": (
        "Warum ist der Build immer rot",
        "Ich denke, wir könnten die Tabelle später teilen.",
        "Baue bitte einen Knopf ein, der die Liste neu lädt",
        "por qué el build siempre falla",
        "tal vez deberíamos dividir la tabla",
        "arregla el botón, debe ser verde",
        "pourquoi le build échoue toujours",
        "on pourrait peut-être diviser la table",
        "corrige le bouton, il doit être vert",
        "por que o build sempre falha",
        "corrija o botão, ele deve ser verde",
        "构建为什么总是红的",
        "请修复按钮，必须是绿色",
        "ビルドはなぜいつも赤いの",
        "ボタンを緑にしてください",
        "빌드는 왜 항상 빨간색이죠",
        "버튼을 초록색으로 바꿔 주세요",
    ),
}
