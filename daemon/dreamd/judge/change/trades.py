"""Tools and services of one trade, of which a project has one at a time: who switches to one leaves the other.

Tables and nothing else. A name that is also a plain word stands here only where the trade's own words are said with it.
"""

# ruff: noqa: E501  tables read better one trade a line

from __future__ import annotations

from dreamd.text.tokens import stem

_TRADES = (
    ("bundler bundle bundles bundling build builds", "webpack rollup vite parcel esbuild turbopack rspack browserify gulp grunt snowpack rolldown"),
    ("tests test testing runner unit suite", "jest vitest mocha jasmine ava pytest unittest nose nose2 junit testng rspec minitest phpunit pest xunit nunit mstest"),
    ("browser end-to-end e2e tests test", "cypress playwright puppeteer selenium webdriverio testcafe nightwatch protractor"),
    ("package packages manager install dependencies", "npm yarn pnpm bun"),
    ("package packages python manager environments dependencies virtualenv", "pip poetry pipenv uv conda mamba pdm hatch pixi"),
    ("ci pipeline pipelines builds build", "jenkins travis circleci gitlab-ci teamcity bamboo buildkite drone woodpecker appveyor github-actions actions tekton concourse semaphore buildbot"),
    ("database databases db store relational", "postgres postgresql pg mysql mariadb oracle mssql sqlserver sqlite cockroachdb db2 firebird"),
    ("cache caching", "redis memcached valkey dragonfly keydb hazelcast"),
    ("queue queues broker messages messaging events bus", "rabbitmq kafka activemq nats pulsar sqs redpanda zeromq artemis mosquitto"),
    ("web framework server http api backend", "express fastify koa hapi nestjs hono flask django fastapi bottle tornado rails sinatra laravel symfony spring quarkus gin fiber actix axum phoenix"),
    ("frontend front-end framework ui user interface", "react vue svelte angular solidjs preact ember qwik lit backbone alpinejs"),
    ("state management", "redux mobx zustand pinia vuex recoil jotai xstate ngrx"),
    ("styles styling css", "tailwind bootstrap bulma foundation sass less stylus styled-components emotion"),
    ("orm queries database", "prisma typeorm sequelize drizzle knex sqlalchemy peewee hibernate jooq gorm diesel activerecord"),
    ("format formatter formatting code", "black prettier autopep8 yapf ruff biome dprint gofmt gofumpt"),
    ("lint linter linting code", "eslint tslint jshint standardjs biome oxlint flake8 pylint ruff pycodestyle rubocop golangci-lint"),
    ("type types checker checking typing", "mypy pyright pyre pytype flow typescript"),
    ("editor ide", "vim neovim emacs vscode sublime atom intellij pycharm webstorm zed helix nano cursor"),
    ("shell terminal", "bash zsh fish nushell powershell"),
    ("code host hosting hosted repository repositories repo git", "github gitlab bitbucket codeberg gitea forgejo sourcehut gerrit"),
    ("version control", "git svn subversion mercurial hg cvs perforce fossil bazaar"),
    ("chat chats messaging talk team", "slack mattermost teams discord zulip rocketchat irc matrix element signal whatsapp telegram threema"),
    ("tickets ticket issues issue tracker tracking board tasks task", "jira linear trello asana youtrack redmine bugzilla clubhouse shortcut basecamp taiga openproject todoist"),
    ("wiki documentation docs notes knowledge", "confluence notion mediawiki dokuwiki bookstack outline obsidian gitbook sharepoint evernote"),
    ("docs documentation generator site pages", "sphinx mkdocs docusaurus jekyll hugo gatsby vitepress astro eleventy antora"),
    ("host hosting cloud provider servers server deploy", "aws azure gcp hetzner heroku digitalocean linode scaleway ovh vultr fly.io render vercel netlify railway cloudflare ionos"),
    ("infrastructure provisioning", "terraform opentofu pulumi cloudformation ansible puppet chef saltstack cdk bicep"),
    ("containers container", "docker podman containerd lxc rkt"),
    ("orchestration cluster clusters", "kubernetes k8s nomad swarm mesos openshift"),
    ("logs log logging", "loki elasticsearch graylog splunk papertrail logstash datadog opensearch"),
    ("monitoring metrics alerts dashboards dashboard", "prometheus grafana datadog zabbix nagios icinga newrelic influxdb graphite checkmk"),
    ("errors error crash reports tracking", "sentry rollbar bugsnag airbrake glitchtip raygun"),
    ("payments payment provider pay", "stripe mollie adyen paypal braintree klarna square worldpay sumup"),
    ("mail mails email emails provider send", "sendgrid mailgun postmark mailchimp sparkpost ses brevo mailjet"),
    ("passwords password secrets secret vault", "1password bitwarden lastpass keepass keepassxc vaultwarden dashlane vault"),
    ("login sign-in identity authentication auth", "auth0 okta keycloak cognito authentik zitadel clerk firebase"),
    ("search index", "elasticsearch opensearch solr meilisearch typesense algolia sphinxsearch"),
    ("analytics tracking", "matomo plausible mixpanel amplitude posthog umami fathom"),
    ("design drawing mockups screens", "figma sketch adobe-xd penpot invision canva photoshop gimp illustrator inkscape affinity"),
    ("bookkeeping accounting accounts books invoices", "datev lexware xero quickbooks sage sevdesk freshbooks"),
    ("meetings meeting calls call video", "zoom jitsi webex skype bigbluebutton meet"),
    ("web proxy reverse server", "nginx apache caddy traefik haproxy envoy lighttpd"),
    ("notebook notebooks", "jupyter colab marimo zeppelin"),
    ("training deep learning framework models", "pytorch tensorflow keras jax mxnet theano"),
    ("dataframes tables", "pandas polars dask modin"),
    ("experiments tracking runs", "mlflow wandb neptune comet tensorboard clearml"),
    ("workflow workflows scheduler jobs", "airflow prefect dagster luigi snakemake nextflow argo"),
    ("game engine", "unity unreal godot gamemaker bevy cryengine pygame"),
    ("build builds tool", "make cmake meson bazel ninja gradle maven ant sbt scons buck"),
    ("language written in rewritten", "python ruby java kotlin javascript typescript golang rust php perl scala elixir clojure haskell swift dart cobol fortran"),
    ("operating system servers run", "debian ubuntu fedora centos rocky almalinux rhel opensuse archlinux alpine nixos freebsd"),
    ("typesetting manuscript written text write", "latex word typst markdown indesign scrivener overleaf libreoffice"),
)  # fmt: skip
TRADE_OF: dict[str, frozenset[int]] = {}
"""The trades of a name, in lower case."""
TOOLS_OF = tuple(tuple(names.split()) for _, names in _TRADES)
for _trade, _names in enumerate(TOOLS_OF):
    for _name in _names:
        TRADE_OF[_name] = TRADE_OF.get(_name, frozenset()) | {_trade}
SAID_WITH = tuple(frozenset(form for word in said.split() for form in (word, stem(word))) for said, _ in _TRADES)
"""The words that tell no more of a trade than its tools' names do."""
