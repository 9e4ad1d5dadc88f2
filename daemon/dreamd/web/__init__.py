"""The page on this machine: what dream knows and did, and a person's verbs over it, in a browser.

Nothing here is imported before `dream open` asks for it; its libraries come with the extra `dreamd[web]`.
"""
