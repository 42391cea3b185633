# SPDX-License-Identifier: Apache-2.0
"""The site of the documents: every Markdown file of the checkout, and references from sources.

The tree for the generator is made below build/, so the documents keep their folders and links.
"""
